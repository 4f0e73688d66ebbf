/** Finds the server that a person means by an address, and verifies that it is one of the network and another one than this. */
import { isIP } from 'node:net'
import { guardedFetch, type OutboundResponse } from '../../platform/network/client.ts'
import { unreachableText } from '../../platform/network/unreachable.ts'
import { XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import { isObject, parseJson } from '../../util/json.ts'

interface Deps {
  readonly serverDid: string
  /** Identifies the running server; in its health response. */
  readonly instance: string
  /** Aborts requests. */
  readonly signal: AbortSignal
}

/** The port of this program, for names of the local network. */
const usualPort = 2583
/** The owner names the server. Pages of lists have up to 500 repositories. */
const limits = { allowPrivate: true, maxBytes: 500_000 }

/**
 * Returns the origin of a server. The scheme and, in the local network, the port may be left out.
 * @throws XrpcError `InvalidUpstream`, `UpstreamUnreachable`, `NotAServer`, `OwnServer`
 */
export async function findServer(deps: Deps, address: string): Promise<string> {
  const origins = originsOf(address)
  if (origins.length === 0) {
    throw new XrpcError(
      'InvalidUpstream',
      'This is not the address of a server, such as https://pds.example.com.',
    )
  }
  const attempts = await Promise.allSettled(origins.map((origin) => verify(deps, origin)))
  const found = attempts.findIndex(({ status }) => status === 'fulfilled')
  if (origins[found] !== undefined) return origins[found]
  throw mostSpecific(attempts.flatMap((attempt) => (attempt.status === 'rejected' ? [attempt.reason] : [])))
}

/** Returns the origins that an address can mean, the likeliest first. */
export function originsOf(address: string): string[] {
  const text = address.trim().replace(/^ws(s?):\/\//i, 'http$1://')
  if (/^https?:\/\//i.test(text)) return originOf(text)
  if (text.includes('://')) return []
  const https = originOf(`https://${text}`)
  const [plain] = originOf(`http://${text}`)
  if (plain === undefined || !isLocalName(new URL(plain).hostname)) return https
  const [usual] = /:\d+$/.test(text) ? [] : originOf(`http://${text}:${usualPort}`)
  return [...https, plain, ...(usual === undefined ? [] : [usual])]
}

function originOf(text: string): string[] {
  const url = URL.parse(text)
  const isOrigin = url?.hostname && !url.username && !url.password && !url.search && url.pathname === '/'
  return isOrigin ? [url.origin] : []
}

/** Whether a name can be one of the local network, whose servers rarely have certificates. */
function isLocalName(host: string): boolean {
  return !host.includes('.') || host.endsWith('.local') || isIP(host.replace(/^\[|\]$/g, '')) !== 0
}

/** Returns the most specific error: one about a server's response, rather than about none. */
function mostSpecific(errors: readonly unknown[]): unknown {
  const names = ['OwnServer', 'NotAServer', 'UpstreamUnreachable']
  const rank = (error: unknown) => (error instanceof XrpcError ? names.indexOf(error.name) : -1)
  return errors.toSorted((one, other) => rank(one) - rank(other))[0]
}

/** @throws XrpcError `UpstreamUnreachable`, `NotAServer`, `OwnServer` */
async function verify(deps: Deps, origin: string): Promise<void> {
  const description = await get(deps, origin, 'com.atproto.server.describeServer')
  const list = await get(deps, origin, 'com.atproto.sync.listRepos')
  const repos = list?.repos
  // Relays do not describe themselves.
  if (!Array.isArray(repos)) throw notAServer(origin, 'it does not list repositories')
  // Servers without a public address have the same DID.
  if (description?.did === deps.serverDid && (await instanceAt(deps, origin)) === deps.instance) {
    throw new XrpcError('OwnServer', `${new URL(origin).host} is this server.`)
  }
}

/** Returns the id of a running server; undefined for other programs. */
async function instanceAt({ signal }: Deps, origin: string): Promise<unknown> {
  const { headers } = await guardedFetch(`${origin}/xrpc/_health`, { ...limits, signal }).catch(
    (error: unknown) => {
      throw unreachable(origin, error)
    },
  )
  return headers['server-instance']
}

/**
 * Calls a query. @returns its JSON object; undefined if the server answered with an error
 * @throws XrpcError `UpstreamUnreachable`, `NotAServer`
 */
async function get(
  { signal }: Deps,
  origin: string,
  method: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const target = `${origin}/xrpc/${method}`
  const response = await guardedFetch(target, { ...limits, signal }).catch((error: unknown) => {
    throw unreachable(origin, error)
  })
  const { location } = response.headers
  if (response.status >= 300 && response.status < 400 && location !== undefined) {
    throw notAServer(origin, `it refers to ${location.slice(0, 200)}, which may be the right address`)
  }
  if (response.status >= 500) throw notAServer(origin, `it answered ${response.status}`)
  return response.status === 200 ? jsonOf(origin, response) : undefined
}

function jsonOf(origin: string, { body }: OutboundResponse): Readonly<Record<string, unknown>> {
  const value = parseJson(body)
  if (!isObject(value)) throw notAServer(origin, 'it does not answer with JSON')
  return value
}

function notAServer(origin: string, reason: string): XrpcError {
  const { host } = new URL(origin)
  return new XrpcError('NotAServer', `${host} does not answer as a personal data server: ${reason}.`)
}

function unreachable(origin: string, error: unknown): XrpcError {
  const url = new URL(origin)
  const message =
    unreachableText(url, error) ??
    `${url.host} does not respond. Check the address, and that the server runs there.`
  return new XrpcError('UpstreamUnreachable', message)
}
