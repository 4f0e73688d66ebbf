/**
 * The header `atproto-proxy` gives an app no further access here: its value only forwards calls to a service that the app was
 * granted. All methods, under the names of the network.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { methods } from '../../../../server/api/index.ts'
import { App } from '../../../support/accounts/oauth-app.ts'
import type { Account, Answer } from '../../../support/server/server.ts'
import { owner, server, setupServer } from '../../../support/server/setup.ts'
import { StubService } from '../../../support/services/stub-service.ts'

let appView: StubService
let named: StubService
beforeAll(async () => {
  appView = await StubService.start()
  named = await StubService.start()
})
afterAll(() => Promise.all([appView.close(), named.close()]))

const view = 'did:web:view.test#bsky_appview'
const networkView = 'did:web:api.bsky.app#bsky_appview'
const service = () => `${named.did}#stub`
const everythingAt = (aud: string) => `atproto rpc:*?aud=${encodeURIComponent(aud)}`

/** A method as clients of the network call it. */
interface Call {
  readonly nsid: string
  readonly isRead: boolean
  /** Whether anyone may call it. */
  readonly isPublic?: boolean
}
type Attempt = (call: Call, headers?: Record<string, string>) => Promise<Answer>

const calls: readonly Call[] = [
  ...methods.map(({ nsid, schema, auth }) => ({
    nsid: nsid.replace(/^app\.example\./, 'app.bsky.').replace(/^com\.core\./, 'com.atproto.'),
    isRead: schema.type === 'query',
    isPublic: auth === 'none',
  })),
  // Methods that this server does not have.
  { nsid: 'app.bsky.unspecced.getNew', isRead: true },
  { nsid: 'org.example.unknown', isRead: false },
]

const headers: Record<string, () => string> = {
  'another service': service,
  'the service in other letters': () => service().replace('localhost', 'LOCALHOST'),
  'this server': () => `${server.running.services.serverDid}#atproto_pds`,
  'this server as the service': () => `${server.running.services.serverDid}#stub`,
  'the app view': () => view,
  'the app view with another service': () => 'did:web:view.test#stub',
  'a DID only': () => named.did,
  'two services': () => `${service()}, ${view}`,
  nonsense: () => 'nonsense',
  nothing: () => '',
}

function isRefused({ status, body }: Answer): boolean {
  const isMalformed = status === 400 && /^atproto-proxy must/.test(body?.message)
  return (
    isMalformed || status === 501 || ['ScopeMissingError', 'Forbidden', 'InvalidToken'].includes(body?.error)
  )
}

/** An app with a scope. A method that ends the session gets a session of its own. */
async function oauthApp(scope: string): Promise<Attempt> {
  const app = await App.create(scope)
  const tokens = await app.signIn(owner)
  return async ({ nsid, isRead }, headers = {}) =>
    app.call(nsid, nsid.endsWith('.deleteSession') ? await app.signIn(owner) : tokens, {
      ...(!isRead && { input: {} }),
      headers,
    })
}

/** A client with a limited app password. */
async function limitedClient(limit: string): Promise<Attempt> {
  const name = crypto.randomUUID()
  const made = await server.post('com.core.server.createAppPassword', { name, limit }, owner)
  const signIn = async () => (await server.signIn({ ...owner, password: made.body.password })).body as Account
  const session = await signIn()
  return async ({ nsid, isRead }, headers = {}) => {
    const { accessJwt } = nsid.endsWith('.deleteSession') ? await signIn() : session
    const response = await fetch(`${server.url}/xrpc/${nsid}`, {
      method: isRead ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${accessJwt}`, 'content-type': 'application/json', ...headers },
      ...(!isRead && { body: '{}' }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : undefined }
  }
}

/** Calls each method without the header, then with each value of it. @returns what the header opened, and what left for the service */
async function tryAll(attempt: Attempt): Promise<{ opened: string[]; left: Set<string> }> {
  const opened: string[] = []
  const left = new Set<string>()
  for (const call of calls) {
    const isClosed = isRefused(await attempt(call))
    for (const [name, header] of Object.entries(headers)) {
      named.reset()
      appView.reset()
      const answer = await attempt(call, { 'atproto-proxy': header() })
      const isForView = header().startsWith('did:web:view.test#')
      if (named.calls.length > 0) left.add(call.nsid)
      else if (isForView && appView.calls.length > 0) continue
      else if (isClosed && !call.isPublic && !isRefused(answer))
        opened.push(`${call.nsid}, ${name}: ${answer.status}`)
    }
  }
  return { opened, left }
}

const isForwarded = (nsid: string) => !/^(?:com\.atproto|app\.bsky\.notification)\./.test(nsid)
const elsewhere = calls.map(({ nsid }) => nsid).filter(isForwarded)
const preferences = ['app.bsky.actor.getPreferences', 'app.bsky.actor.putPreferences']

describe('with an app view', () => {
  setupServer({
    config: () => ({
      appViewDid: 'did:web:view.test',
      appViewUrl: appView.url,
      allowPrivateTargets: true,
      publicUrl: undefined,
    }),
    accounts: ['alice'],
  })

  test('an app that was granted a service calls that service, and nothing here', async () => {
    const { opened, left } = await tryAll(await oauthApp(everythingAt(service())))
    expect(opened).toEqual([])
    const expected = elsewhere.filter((nsid) => nsid !== preferences[1])
    expect([...left].sort()).toEqual([...expected, 'com.atproto.moderation.createReport'].sort())
  })

  test('an app that was granted the app view calls no other service', async () => {
    const { opened, left } = await tryAll(await oauthApp(everythingAt(view)))
    expect(opened).toEqual([])
    expect([...left]).toEqual([])
  })

  test('an app password that is limited to reading reads elsewhere, and changes nothing there', async () => {
    const { opened, left } = await tryAll(await limitedClient('readOnly'))
    expect(opened).toEqual([])
    const reads = new Set(calls.filter(({ isRead }) => isRead).map(({ nsid }) => nsid))
    expect([...left].filter((nsid) => !reads.has(nsid))).toEqual([])
    expect(left).toContain('app.bsky.feed.getTimeline')
  })

  test.each([
    ['app.bsky.bookmark.deleteBookmark', false],
    ['app.bsky.graph.unmuteActor', false],
    ['App.Bsky.Draft.deleteDraft', false],
    ['app.example.draft.updateDraft', false],
    ['org.example.things.purge', false],
    ['app.bsky.bookmark.createBookmark', true],
    ['org.example.things.addOne', true],
  ])('an app password for everything but deleting, %s: %s', async (nsid, isAllowed) => {
    const attempt = await limitedClient('noDeletion')
    for (const [service, to] of [
      [named, `${named.did}#stub`],
      [appView, view],
    ] as const) {
      service.reset()
      const { status } = await attempt({ nsid, isRead: false }, { 'atproto-proxy': to })
      expect([status, service.calls.length]).toEqual(isAllowed ? [200, 1] : [403, 0])
    }
  })
})

describe('without an app view', () => {
  setupServer({ config: { publicUrl: undefined, allowPrivateTargets: true }, accounts: ['alice'] })

  test('every call of an app that was granted a service is refused', async () => {
    const { opened, left } = await tryAll(await oauthApp(everythingAt(service())))
    expect(opened).toEqual([])
    expect([...left]).toEqual([])
  })

  test.each([
    ['this server', () => `${server.running.services.serverDid}#atproto_pds`],
    ['this server as a labeler', () => `${server.running.services.serverDid}#atproto_labeler`],
    ['the app view of the network', () => networkView],
  ])('an app that was granted %s reads here, with any header', async (_, audience) => {
    const attempt = await oauthApp(everythingAt(audience()))
    for (const header of [networkView, service(), 'nonsense']) {
      const answer = await attempt(
        { nsid: 'app.bsky.notification.listNotifications', isRead: true },
        { 'atproto-proxy': header },
      )
      expect(answer.status).toBe(200)
    }
  })
})
