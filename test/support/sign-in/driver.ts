/** The calls of the model of sign-in: what browsers, app windows and programs send to the server. */
import { methods } from '../../../server/api/index.ts'
import { issuer } from '../accounts/oauth.ts'
import type { App } from '../accounts/oauth-app.ts'
import type { Account, Answer } from '../server/server.ts'
import { server } from '../server/setup.ts'

/** A request of an app, as pages and app windows show it. */
export interface View {
  readonly id: string
  readonly client: string
  readonly redirectTo: string
  readonly scope: string
}

export type Headers = Readonly<Record<string, string>>

/** What senders of anonymous calls look like to the server. */
export const senders: readonly Headers[] = [
  {},
  { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  { origin: 'http://localhost:5173', 'sec-fetch-site': 'same-site' },
  { origin: 'chrome-extension://abcdefgh', 'sec-fetch-site': 'none' },
  { origin: 'null', 'sec-fetch-site': 'cross-site' },
]

const call = (nsid: string, input: object, headers: Headers = {}): Promise<Answer> =>
  server.fetch(`/xrpc/${nsid}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(input),
  })

const bearer = ({ accessJwt }: Account) => ({ authorization: `Bearer ${accessJwt}` })

/** Opens the link of an app. @returns the id of the request that the page shows */
export async function openLink(app: App, id: string): Promise<string | undefined> {
  const query = new URLSearchParams({ client_id: app.clientId, request_uri: uriOf(id) })
  const { headers } = await fetch(`${issuer()}/oauth/authorize?${query}`, { redirect: 'manual' })
  const shown = /#\/authorize\/(\w+)$/.exec(headers.get('location') ?? '')?.[1]
  return shown === 'unknown' ? undefined : shown
}

export const uriOf = (id: string) => `urn:ietf:params:oauth:request_uri:${id}`

/** Reads a request as its page does. */
export async function readRequest(id: string): Promise<View | undefined> {
  const { status, body } = await server.get('com.core.oauth.getRequest', { id })
  return status === 200 ? body : undefined
}

/** Makes a request wait for the app window. @returns the number on the page of the browser */
export async function waitForWindow(id: string, headers?: Headers): Promise<number | undefined> {
  const { status, body } = await call('com.core.oauth.waitForApproval', { id }, headers)
  return status === 200 ? body.number : undefined
}

/** The requests in the app window of an account, in the order of its dialogs. Their ids are not those of the links. */
export async function listRequests(account: Account): Promise<readonly View[]> {
  const { body } = await server.get('com.core.oauth.listRequests', {}, account)
  return body.requests
}

export interface Decision {
  readonly id: string
  readonly isAllowed: boolean
  /** From the page of the browser; undefined if the person decides on that page. */
  readonly number?: number | undefined
}

/** Decides a request. @returns where the browser of the person goes; undefined if the server refuses */
export async function decide(account: Account, decision: Decision): Promise<string | undefined> {
  const { status, body } = await call('com.core.oauth.decideRequest', decision, bearer(account))
  return status === 200 ? body.location : undefined
}

/** Calls every method for requests of apps but the decision. @returns the successful responses */
export async function callAll(
  id: string,
  headers: Headers,
  account?: Account,
): Promise<{ readonly number?: number }[]> {
  const all = { ...headers, ...(account && bearer(account)) }
  const found: { readonly number?: number }[] = []
  for (const { nsid, schema } of methods) {
    if (!nsid.startsWith('com.core.oauth.') || nsid.endsWith('.decideRequest')) continue
    const isQuery = !('input' in schema)
    const { status, body } = isQuery
      ? await server.fetch(`/xrpc/${nsid}?${new URLSearchParams({ id })}`, { headers: all })
      : await call(nsid, { id }, all)
    if (status === 200) found.push(body)
  }
  return found
}
