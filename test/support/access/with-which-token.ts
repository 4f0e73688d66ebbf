/** Calls each method with each kind of session and each value of the header `atproto-proxy`. */

import { server } from '../server/setup.ts'
import type { StubService } from '../services/stub-service.ts'
import { json } from '../services/stub-service.ts'
import { calls } from './calls/index.ts'
import { each, send } from './client.ts'
import { type Call, changesItsAccount, type Method, type TokenName } from './model.ts'
import type { Matrix } from './page.ts'
import { kinds, openSession, type Services, type Session } from './sessions.ts'

export const appView = 'did:web:view.test#bsky_appview'

/** The values of the header. */
const headers = {
  'no header': () => ({}),
  'this server': () => ({ 'atproto-proxy': `${server.running.services.serverDid}#atproto_pds` }),
  'app view': () => ({ 'atproto-proxy': appView }),
  'another service': ({ foreign }: Services) => ({ 'atproto-proxy': foreign }),
} satisfies Record<string, (services: Services) => Record<string, string>>
export type Header = keyof typeof headers
const headerNames = Object.keys(headers) as Header[]

/** The answers of the other services, which show that a call has left. */
const forwarded = { view: 'to the app view', foreign: 'to the service' }
export const leaves: readonly string[] = Object.values(forwarded)

export function markAnswers(view: StubService, foreign: StubService): void {
  view.respond = json({ error: forwarded.view, message: '' }, 400)
  foreign.respond = json({ error: forwarded.foreign, message: '' }, 400)
}

/** One answer: `here`, that it left, or the error that refused the call. */
export interface Answered {
  /** The NSID, with the variant of the call. */
  readonly name: string
  readonly method: Method
  readonly kind: string
  readonly header: Header
  readonly answer: string
}

/** A method and a call of it. */
export interface Attempt {
  readonly name: string
  readonly method: Method
  readonly callOf: (session: Session, token: TokenName) => Call
}

/** Further calls of methods whose scopes depend on the input. */
const variants: Readonly<Record<string, Readonly<Record<string, (session: Session) => Call>>>> = {
  'com.core.repo.createRecord': {
    'of a post': ({ account }) => ({
      input: {
        repo: account.did,
        collection: 'app.example.feed.post',
        record: { text: 'A post', createdAt: '2030-01-01T00:00:00.000Z' },
      },
    }),
  },
  'com.core.server.getServiceAuth': {
    'for the app view': () => ({
      params: { aud: appView, lxm: 'app.example.feed.getTimeline' },
    }),
    'for chat': () => ({ params: { aud: appView, lxm: 'chat.example.convo.getLog' } }),
    'for any method': () => ({ params: { aud: appView } }),
    'for administration': () => ({ params: { aud: appView, lxm: 'com.core.admin.deleteAccount' } }),
  },
}

/** Returns the calls of a method. */
export function attemptsOf(method: Method): Attempt[] {
  const { nsid } = method
  const plain: Attempt = {
    name: nsid,
    method,
    callOf: ({ account }, token) => {
      const call = calls[nsid]
      if (!call) throw new Error(`Add an entry for ${nsid} to the tables in test/support/access/calls/`)
      return call({ ...account, state: 'active' }, token)
    },
  }
  const further = Object.entries(variants[nsid] ?? {}).map(([title, callOf]) => ({
    name: `${nsid} (${title})`,
    method,
    callOf,
  }))
  return [plain, ...further]
}

/** Opens a session of each kind. */
export async function openSessions(services: Services): Promise<ReadonlyMap<string, Session>> {
  const names = Object.keys(kinds)
  const opened = await each(names, (kind) => openSession(kind, services))
  return new Map(names.map((kind, index) => [kind, opened[index] as Session]))
}

/** Makes a call with each kind of session and each header. */
export async function callWith(
  { name, method, callOf }: Attempt,
  services: Services,
  sessions: ReadonlyMap<string, Session>,
): Promise<Answered[]> {
  const combinations = [...sessions].flatMap(([kind, kept]) =>
    headerNames.map((header) => ({ kind, kept, header })),
  )
  return each(combinations, async ({ kind, kept, header }) => {
    const session = changesItsAccount.has(method.nsid) ? await openSession(kind, services) : kept
    const { answer: expected = 'success', ...call } = callOf(session, kind === 'owner' ? 'owner' : 'full')
    const verb = method.schema.type === 'procedure' ? 'POST' : 'GET'
    const credentials = await session.headers(verb, `/xrpc/${method.nsid}`)
    const got = await send(server.url, method, call, { ...credentials, ...headers[header](services) })
    return { name, method, kind, header, answer: got === expected || got === 'success' ? 'here' : got }
  })
}

/** Returns the table of a call: the kind of session by header. */
export function matrixOf(answers: readonly Answered[]): Matrix {
  const byKind = Map.groupBy(answers, ({ kind }) => kind)
  return new Map(
    [...byKind].map(([kind, row]) => [kind, new Map(row.map(({ header, answer }) => [header, answer]))]),
  )
}
