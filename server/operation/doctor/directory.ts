/** Checks whether the did:plc directory has the accounts of this server. */

import { endpointIn } from '../../identity/did/did-plc.ts'
import { lastOperation } from '../../identity/did/plc-directory.ts'
import type { Reader } from '../../store/database.ts'
import { statusOf } from '../../store/tables/account-status.ts'
import * as accounts from '../../store/tables/accounts.ts'
import { type Check, failed, ok, warning } from './check.ts'

interface Deps {
  readonly store: Reader
  readonly plcUrl: string | undefined
  readonly origin: string
  readonly signal: AbortSignal
}

/** Most servers have fewer accounts. */
const maxAccounts = 20

export async function checkDirectory({ store, plcUrl, origin, signal }: Deps): Promise<Check> {
  const name = 'directory'
  if (plcUrl === undefined) {
    return warning(
      name,
      'No directory is set, so other servers cannot look up the identities of accounts here.',
      'setDirectory',
    )
  }
  const waiting = accounts.withUnpublishedIdentity(store, origin)
  const all = accounts.page(store, undefined, maxAccounts)
  const active = all.filter(
    (one) => one.did.startsWith('did:plc:') && statusOf(one) === undefined && !accounts.isOfCheck(one),
  )
  try {
    for (const { did, handle } of active) {
      const last = await lastOperation(plcUrl, did, { signal })
      if (!last) return unpublished(handle, waiting.length)
      if (endpointIn(last) !== origin) {
        return failed(name, `In the directory ${handle} is at ${endpointIn(last)}, not here.`, 'setPublicUrl')
      }
    }
  } catch {
    return failed(name, `The directory ${plcUrl} does not answer.`, 'setDirectory')
  }
  if (waiting.length > 0)
    return unpublished(accounts.findByDid(store, waiting[0] ?? '')?.handle ?? '', waiting.length)
  return ok(name, `${plcUrl} has the identities of all accounts.`)
}

function unpublished(handle: string, waiting: number): Check {
  const more = waiting > 1 ? ` ${waiting} accounts wait for it.` : ''
  return warning(
    'directory',
    `The identity of ${handle} is not published yet, or not up to date.${more} The server tries again every few minutes.`,
  )
}
