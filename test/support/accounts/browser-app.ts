/** An app in the browser that signs in with the network's own library, as its developer runs it on this computer. */
import { BrowserOAuthClient, type OAuthSession } from '@atproto/oauth-client-browser'
import { loopbackClient } from './loopback-client.ts'

/** The part of the browser that it uses: tests are checked without the types of browsers. */
declare const location: Readonly<Record<'port' | 'search' | 'hash', string>>
declare const localStorage: {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}
declare const document: { readonly body: { textContent: string } }

const scope = 'atproto repo:app.bsky.feed.post?action=create'
const redirect = `http://127.0.0.1:${location.port}/` as const
/** Address of the server, of which the app knows no more. */
const server =
  new URLSearchParams(location.hash.slice(1)).get('server') ?? localStorage.getItem('server') ?? ''
if (server !== '') localStorage.setItem('server', server)

const client = new BrowserOAuthClient({ ...loopbackClient(server, scope, redirect), responseMode: 'query' })

const found = await client.initCallback(new URLSearchParams(location.search), redirect).catch(async () => {
  const stored = localStorage.getItem('did')
  return stored === null ? undefined : { session: await client.restore(stored) }
})
let session: OAuthSession | undefined = found?.session
if (session) localStorage.setItem('did', session.did)
document.body.textContent = session ? `Signed in as ${session.did}` : 'Signed out'

function current(): OAuthSession {
  if (!session) throw new Error('There is no session')
  return session
}

/** What the test calls. */
const app = {
  signIn: (input: string) => client.signIn(input),
  async post(text: string) {
    const record = { $type: 'app.bsky.feed.post', text, createdAt: new Date().toISOString() }
    const body = JSON.stringify({ repo: current().did, collection: record.$type, record })
    const headers = { 'content-type': 'application/json' }
    const answer = await current().fetchHandler('/xrpc/com.atproto.repo.createRecord', {
      method: 'POST',
      headers,
      body,
    })
    return answer.status
  },
  read: async (nsid: string) => (await current().fetchHandler(`/xrpc/${nsid}`)).status,
  async refresh() {
    session = await client.restore(current().did, true)
    return true
  },
  async signOut() {
    await current().signOut()
    localStorage.removeItem('did')
  },
}
Object.assign(globalThis, { app })
