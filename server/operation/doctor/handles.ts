/** Checks whether other servers can resolve the handles of accounts here. */

import type { ResolveHandle } from '../../identity/did/handle-resolver.ts'
import { guardedFetch } from '../../platform/network/client.ts'
import type { Reader } from '../../store/database.ts'
import { statusOf } from '../../store/tables/account-status.ts'
import * as accounts from '../../store/tables/accounts.ts'
import { handshakeMs, isPublicName, tlsProblem } from './address.ts'
import { type Check, codeOf, failed, ok, warning } from './check.ts'

/** Most servers have fewer accounts; the handles of the others have the same domains. */
const maxHandles = 20

interface Deps {
  readonly store: Reader
  readonly publicUrl: string
  readonly userDomains: readonly string[]
  /** Undefined if this server looks up no handles. */
  readonly resolveHandle: ResolveHandle | undefined
  readonly signal: AbortSignal
}

export async function checkHandles(deps: Deps): Promise<Check> {
  const name = 'handles'
  const active = accounts
    .page(deps.store, undefined, maxHandles)
    .filter((one) => statusOf(one) === undefined && !accounts.isOfCheck(one))
  const problems = await Promise.all(active.map((account) => problemOf(account, deps)))
  const found = problems.find((problem) => problem !== undefined)
  if (found) return found
  return active.length === 0
    ? warning(name, 'No account here is active yet.')
    : ok(name, `${active.length === 1 ? 'The handle resolves' : 'The handles resolve'}: ${listOf(active)}.`)
}

async function problemOf(
  { did, handle }: accounts.Account,
  { publicUrl, userDomains, resolveHandle, signal }: Deps,
): Promise<Check | undefined> {
  const name = 'handles'
  if (!isPublicName(handle)) {
    return warning(
      name,
      `${handle} resolves on this server only: no other server looks up names with its ending.`,
      'setHandleDomain',
      handle,
    )
  }
  // A handle of another domain may be proven by a DNS record instead.
  const isOwnDomain =
    handle === new URL(publicUrl).hostname || userDomains.some((domain) => handle.endsWith(domain))
  if (!isOwnDomain && (await resolveHandle?.(handle, { maxAgeMs: 0 }).catch(() => undefined)) === did) {
    return undefined
  }
  try {
    // The proxy of this server may have a private address here. The domain of an account is not trusted like that.
    const port = isOwnDomain ? new URL(publicUrl).port : ''
    const url = `https://${handle}${port && `:${port}`}/.well-known/atproto-did`
    const { status, body } = await guardedFetch(url, {
      allowPrivate: isOwnDomain,
      timeoutMs: handshakeMs,
      signal,
    })
    const answered = body.toString().trim()
    if (status === 200 && answered === did) return undefined
    const answer = status === 200 ? 'with the identity of another account' : `with status ${status}`
    return failed(name, `${handle} does not resolve: its address answers ${answer}.`, 'setHandleDns', handle)
  } catch (error) {
    const problem = tlsProblem(codeOf(error), handle)
    if (problem) return failed(name, `${handle} does not resolve. ${problem}`, 'setHandleTls', handle)
    return failed(name, `${handle} does not resolve: nothing answers at this name.`, 'setHandleDns', handle)
  }
}

function listOf(found: readonly accounts.Account[]): string {
  const names = found.slice(0, 3).map(({ handle }) => handle)
  const more = found.length - names.length
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ')
}
