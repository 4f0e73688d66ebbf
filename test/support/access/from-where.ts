/** Calls each method by each way, from pages of each origin, and with each kind of credentials. */
import { server } from '../server/setup.ts'
import { calls } from './calls/index.ts'
import { each, type Headers, send } from './client.ts'
import { changesItsAccount, type Method, type Subject, type TokenName } from './model.ts'
import { type Matrix, summary } from './page.ts'
import { makeSubject } from './subject.ts'

/** The origin that the owner named in the settings of the server. */
export const named = 'http://localhost:3000'
const publicHost = 'pds.test'
const forwarded = { host: publicHost, 'x-forwarded-for': '198.51.100.7', 'x-forwarded-proto': 'https' }

interface Way {
  readonly base: () => string
  readonly headers: Headers
  /** The origin of the server's own page. */
  readonly origin: () => string
}

const loopback: Way = { base: () => server.url, headers: {}, origin: () => server.url }

/** How requests reach a server without a public address. A tunnel that is not configured may rewrite `Host`. */
export const privateWays: Readonly<Record<string, Way>> = {
  loopback,
  'proxy port': {
    base: () => server.proxyUrl,
    headers: { 'x-forwarded-for': '198.51.100.7' },
    origin: () => server.proxyUrl,
  },
  'unknown proxy': { ...loopback, headers: { 'x-forwarded-for': '198.51.100.7' } },
}

/** How requests reach a server with a public address. A proxy that is not configured sends its name only. */
export const publicWays: Readonly<Record<string, Way>> = {
  loopback,
  'proxy port': { base: () => server.proxyUrl, headers: forwarded, origin: () => `https://${publicHost}` },
  'trusted proxy': { base: () => server.url, headers: forwarded, origin: () => `https://${publicHost}` },
  'unknown proxy': {
    base: () => server.url,
    headers: { host: publicHost },
    origin: () => `https://${publicHost}`,
  },
}

const page = (origin: string, site: string) => ({ origin, 'sec-fetch-site': site, 'sec-fetch-mode': 'cors' })

/** The headers of each sender. An image sends no `Origin`. */
const senders = {
  program: () => ({}),
  'own page': ({ origin }: Way) => page(origin(), 'same-origin'),
  'named origin': () => page(named, 'cross-site'),
  'https page': () => page('https://evil.example', 'cross-site'),
  'other port': () => page('http://localhost:5173', 'same-site'),
  extension: () => page('chrome-extension://abcdefghijklmnopabcdefghijklmnop', 'none'),
  'null origin': () => page('null', 'cross-site'),
  image: () => ({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }),
} satisfies Record<string, (way: Way) => Headers>
export type Sender = keyof typeof senders
const senderNames = Object.keys(senders) as Sender[]
export const foreignSenders: readonly Sender[] = [
  'https page',
  'other port',
  'extension',
  'null origin',
  'image',
]

export type Credentials = 'nothing' | 'session' | 'owner' | 'admin password'

/** One answer: `yes`, or the error that refused the call. */
export interface Answered {
  readonly method: Method
  readonly way: string
  readonly sender: Sender
  readonly credentials: Credentials
  readonly answer: string
}

/** The accounts of a server, kept for all calls. */
export interface Callers {
  readonly account: Subject
  readonly owner: Subject
}

export async function makeCallers(): Promise<Callers> {
  return {
    account: await makeSubject('active', ['none', 'full', 'refresh', 'admin Basic']),
    owner: await makeSubject('active', ['owner', 'refresh']),
  }
}

/** Calls a method in all combinations. @param callers the accounts to use */
export async function callFrom(
  method: Method,
  ways: Readonly<Record<string, Way>>,
  callers: Callers,
): Promise<Answered[]> {
  const combinations = Object.entries(ways).flatMap(([way, at]) =>
    senderNames.flatMap((sender) =>
      credentialsOf(method).map((credentials) => ({ way, at, sender, credentials })),
    ),
  )
  return each(combinations, async ({ way, at, sender, credentials }) => {
    const token = tokenOf(method, credentials)
    const subject = await subjectOf(method, credentials, token, callers)
    const authorization = subject.headers.get(token)
    const { answer = 'success', ...call } = (calls[method.nsid] ?? missing)(subject, token)
    const headers = {
      ...at.headers,
      ...senders[sender](at),
      ...(authorization !== undefined && { authorization }),
    }
    const got = await send(at.base(), method, call, headers)
    return { method, way, sender, credentials, answer: got === answer ? 'yes' : got }
  })
}

function missing(): never {
  throw new Error('Each method needs an entry in test/support/access/calls/')
}

/** Only methods of administrators and readers ask whether an account owns the server. */
function credentialsOf({ auth }: Method): Credentials[] {
  if (auth === 'admin' || auth === 'reader') return ['nothing', 'session', 'owner', 'admin password']
  return auth === 'import' ? ['nothing', 'session', 'admin password'] : ['nothing', 'session']
}

function tokenOf({ auth }: Method, credentials: Credentials): TokenName {
  if (credentials === 'nothing') return 'none'
  if (credentials === 'admin password') return 'admin Basic'
  if (auth === 'refresh' || auth === 'ending') return 'refresh'
  return credentials === 'owner' ? 'owner' : 'full'
}

async function subjectOf(
  { nsid }: Method,
  credentials: Credentials,
  token: TokenName,
  { account, owner }: Callers,
): Promise<Subject> {
  if (changesItsAccount.has(nsid))
    return makeSubject('active', credentials === 'owner' ? ['owner', token] : [token])
  return credentials === 'owner' ? owner : account
}

/** Returns the table of a method: credentials by way, and in each cell what pages and programs are answered. */
export function matrixOf(answers: readonly Answered[]): Matrix {
  const matrix = new Map<string, Map<string, string>>()
  for (const [way, ofWay] of Map.groupBy(answers, (each) => each.way)) {
    const cells = new Map<string, string>()
    for (const [credentials, cell] of Map.groupBy(ofWay, (each) => each.credentials)) {
      cells.set(credentials, summary(new Map(cell.map(({ sender, answer }) => [sender, answer]))))
    }
    matrix.set(way, cells)
  }
  return matrix
}
