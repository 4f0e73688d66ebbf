/** What a person may have mistyped, before anything is measured: otherwise it would look like faults of the server. */
import { mediaTypeOf, typeOf } from '../../operation/conformance/answers.ts'
import { asAdmin } from '../../operation/conformance/areas/lexicon.ts'
import { type Answer, createHttp, type Http } from '../../operation/conformance/http.ts'
import { type Credentials, describeServer, type TargetOptions } from '../../operation/conformance/target.ts'
import { Failed, plain, Skipped, shown } from '../../operation/conformance/verdict.ts'
import { parseJson } from '../../util/json.ts'
import { systemTime } from '../../util/timers.ts'
import { UsageError } from '../exec.ts'
import { claim } from './claim.ts'

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

type Given = Pick<TargetOptions, 'url' | 'account' | 'adminPassword' | 'signal'>

/**
 * Expects that the server answers, and that the account and the password of the administrator can be used.
 * @param warn prints a line @returns what frees the account for other checks @throws UsageError
 */
export async function preflight(
  { url, account, adminPassword, signal }: Given,
  warn: (text: string) => void,
): Promise<() => Promise<void>> {
  const secrets = [account?.password, adminPassword]
  const http = createHttp(url, { ending: () => signal, secrets })
  try {
    await expectServer(url, http, warn)
    if (adminPassword !== undefined) await expectAdmin(http, adminPassword)
    // What frees the account is sent after an interruption, too.
    return account ? await reserve(http, createHttp(url, { secrets }), account) : async () => {}
  } catch (error) {
    const { message } = error as Error
    if (error instanceof UsageError) throw new UsageError(plain(message))
    // An answer of an unexpected shape throws the latter.
    if ([Failed, Skipped, TypeError, RangeError].some((kind) => error instanceof kind))
      throw new UsageError(plain(`${url} cannot be measured: ${message}`))
    throw error
  }
}

async function expectServer(url: string, http: Http, warn: (text: string) => void): Promise<void> {
  const answer = await http.send(describeServer)
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

async function expectAdmin(http: Http, password: string): Promise<void> {
  const query = { did: `did:plc:${'a'.repeat(24)}` }
  const { status } = await http.send('/xrpc/com.atproto.admin.getAccountInfo', {
    query,
    ...asAdmin(password),
  })
  if (status === 401 || status === 403)
    throw new UsageError(`--admin is not the password of the administrator: it is answered ${status}.`)
}

/** Signs in, and reserves the account for this check. @param last sends what closes the session @returns what frees the account */
async function reserve(http: Http, last: Http, account: Credentials): Promise<() => Promise<void>> {
  const input = { identifier: account.identifier, password: account.password }
  const answer = await http.send('/xrpc/com.atproto.server.createSession', { input, isAwaited: true })
  const { refreshJwt: token } = answer.json ?? {}
  const signOut = async () => {
    if (token) await last.send('/xrpc/com.atproto.server.deleteSession', { method: 'POST', token })
  }
  try {
    expectUsable(answer, account)
    const release = await claim(http, last, answer, account)
    return () => release().finally(signOut)
  } catch (error) {
    await signOut().catch(() => {})
    throw error
  }
}

/** @throws UsageError */
function expectUsable({ status, json, headers }: Answer, { identifier }: Credentials): void {
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
  const { accessJwt, active, status: state } = json ?? {}
  if (active === false)
    throw new UsageError(`The account ${identifier} cannot be used: it is ${state ?? 'inactive'}.`)
  const claims = parseJson(Buffer.from(String(accessJwt).split('.')[1] ?? '', 'base64url'))
  const { scope } = (claims ?? {}) as { readonly scope?: unknown }
  if (String(scope).includes('.appPass'))
    throw new UsageError(
      `The password of ${identifier} is an app password. The check needs that of the account.`,
    )
}
