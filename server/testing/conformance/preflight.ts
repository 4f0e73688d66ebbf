/** What a person may have mistyped, before anything is measured: otherwise it would look like faults of the server. */
import { collection } from '../../operation/conformance/account.ts'
import { mediaTypeOf, typeOf } from '../../operation/conformance/answers.ts'
import { createHttp, type Http } from '../../operation/conformance/http.ts'
import type { Credentials } from '../../operation/conformance/target.ts'
import { Failed, plain, Skipped, shown } from '../../operation/conformance/verdict.ts'
import { parseJson } from '../../util/json.ts'
import { systemTime } from '../../util/timers.ts'
import { UsageError } from '../exec.ts'

/** Returns the origin of an address. @param option that has it @throws UsageError */
export function originOf(option: string, address: string, example: string): string {
  const { origin, protocol, href, pathname } = URL.parse(address) ?? {}
  if (!origin || !/^https?:$/.test(protocol ?? ''))
    throw new UsageError(`${option} must be the URL of a server, such as ${example}.`)
  // A path, a query, a fragment or a password would be left out, and another server measured.
  if (href !== `${origin}/`)
    throw new UsageError(
      `${option} must be the URL of a server alone, such as ${origin}, without ${pathname === '/' ? 'more' : pathname}.`,
    )
  return origin
}

/** Expects that the server answers, and that the account can be used. @param warn prints a line @throws UsageError */
export async function preflight(
  url: string,
  account: Credentials | undefined,
  warn: (text: string) => void,
): Promise<void> {
  const http = createHttp(url)
  try {
    await expectServer(url, http, warn)
    if (account) await expectUsable(http, account)
  } catch (error) {
    const { message } = error as Error
    if (error instanceof UsageError) throw new UsageError(plain(message))
    if (error instanceof Failed || error instanceof Skipped)
      throw new UsageError(plain(`${url} cannot be measured: ${message}`))
    throw error
  }
}

async function expectServer(url: string, http: Http, warn: (text: string) => void): Promise<void> {
  const answer = await http.send('/xrpc/com.atproto.server.describeServer')
  const { headers, status, asked } = answer
  const location = headers.get('location')
  if (status >= 300 && status < 400)
    throw new UsageError(`${url} redirects to ${location}. Give the address to which it leads.`)
  // The site of others is spared hundreds of requests.
  if (status === 404 || mediaTypeOf(answer) === 'text/html')
    throw new UsageError(`${url} is no personal data server: ${asked} answered ${status}, ${typeOf(answer)}.`)
  const skew = skewOf(headers.get('date'))
  if (skew)
    warn(
      `The clock of the server is ${skew} that of this computer. What depends on the time may fail for that.`,
    )
}

/** A sign-in compares times of some seconds. */
const toleratedMs = 60_000

function skewOf(date: string | null): string | undefined {
  const ms = Date.parse(date ?? '') - systemTime().getTime()
  if (!(Math.abs(ms) > toleratedMs)) return undefined
  return `${Math.round(Math.abs(ms) / 60_000)} minutes ${ms > 0 ? 'ahead of' : 'behind'}`
}

/** Milliseconds after its last write within which a check counts as running. */
const busyMs = 60_000

/** Milliseconds since a check of the account has written. */
async function idleFor(http: Http, did: string, token: string): Promise<number> {
  const query = { repo: did, collection, limit: '1' }
  const { json } = await http.send('/xrpc/com.atproto.repo.listRecords', { query, token })
  const at = Date.parse(String(json?.records?.[0]?.value?.createdAt))
  const idle = systemTime().getTime() - at
  return idle >= 0 ? idle : Number.POSITIVE_INFINITY
}

async function expectUsable(http: Http, account: Credentials): Promise<void> {
  const { identifier } = account
  const { status, json, headers } = await http.send('/xrpc/com.atproto.server.createSession', {
    input: account,
  })
  const words = shown(json?.message ?? json?.error ?? `it is answered ${status}`)
  if (status === 429) {
    const seconds = headers.get('retry-after')
    throw new UsageError(
      `The server limits the sign-ins of ${identifier}. Try again ${seconds ? `in ${seconds} seconds` : 'later'}.`,
    )
  }
  if ([400, 401, 403].includes(status))
    throw new UsageError(`${identifier} cannot sign in: ${words.replace(/\.$/, '')}.`)
  // Anything else is a fault, which is measured.
  if (status !== 200) return
  const { accessJwt, refreshJwt, active, status: state, did } = json ?? {}
  const idleMs = await idleFor(http, did, accessJwt)
  await http.send('/xrpc/com.atproto.server.deleteSession', { method: 'POST', token: refreshJwt })
  if (active === false)
    throw new UsageError(`The account ${identifier} cannot be used: it is ${state ?? 'inactive'}.`)
  const claims = parseJson(Buffer.from(String(accessJwt).split('.')[1] ?? '', 'base64url'))
  const { scope } = (claims ?? {}) as { readonly scope?: unknown }
  if (String(scope).includes('.appPass'))
    throw new UsageError(
      `The password of ${identifier} is an app password. The check needs that of the account.`,
    )
  // It would empty the collection of the other one.
  if (idleMs < busyMs)
    throw new UsageError(
      `Another check of ${identifier} wrote ${Math.round(idleMs / 1000)} seconds ago. Wait until it ends, or for a minute if it was killed.`,
    )
}
