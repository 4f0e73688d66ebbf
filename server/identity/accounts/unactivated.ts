/**
 * Accounts that were imported and have never been activated. Each is deleted at a date, because most are attempts that were given
 * up. But an identity is lost with the signing key that its DID document names: so the document is read first, and an account
 * stays while it is being moved, while its document names this server or its key, and while the document cannot be read.
 */

import type { Platform } from '../../platform/platform.ts'
import type { Reader } from '../../store/database.ts'
import type { Account } from '../../store/tables/accounts.ts'
import { streamStates } from '../../store/tables/stream-state.ts'
import * as unactivated from '../../store/tables/unactivated.ts'
import { type DatetimeString, iso } from '../../util/time.ts'
import type { ResolveDid } from '../did/resolver.ts'
import type { AccountDeletion } from './delete.ts'
import { readNaming } from './naming.ts'

const hour = 60 * 60_000

/** The period after the import, and after each change of the identity that this server submits. */
const periodMs = 72 * hour
/** Until the document of an account that is kept is read again. */
const namedAgainMs = 24 * hour
const unreadableAgainMs = 6 * hour
/** Documents of one run, which are read one after another. */
const maxReads = 20

/** Returns the date of an account that is imported now. */
export function activateBy(now: Date): DatetimeString {
  return iso(new Date(now.getTime() + periodMs))
}

interface Deps extends Pick<Platform, 'store' | 'origin' | 'log' | 'now'> {
  readonly resolveDid: ResolveDid
  readonly accountDeletion: AccountDeletion
}

/** Deletes the accounts whose date has come, or sets a later date. */
export async function expireUnactivated(deps: Deps): Promise<void> {
  const { store, log, now } = deps
  for (const account of unactivated.due(store, iso(now()), maxReads)) {
    await expire(deps, account).catch((error: unknown) =>
      log.error({ err: error, did: account.did }, 'expiry of an imported account failed'),
    )
  }
}

async function expire(deps: Deps, account: unactivated.Unactivated): Promise<void> {
  const { store, log, now } = deps
  const { did } = account
  const naming = await readNaming(deps, did, account.signingKeyDid)
  const isDeleted = await store.transact((tx) => {
    const at = now()
    // Otherwise it was activated, moved or changed meanwhile.
    if (!unactivated.isDue(tx, did, iso(at))) return false
    if (naming === 'elsewhere') {
      deps.accountDeletion.hide(tx, did, at)
      return true
    }
    const [reason, ms] =
      naming === 'here' ? (['named', namedAgainMs] as const) : (['unreadable', unreadableAgainMs] as const)
    unactivated.keep(tx, did, reason, iso(new Date(at.getTime() + ms)))
    log.info({ did, reason }, 'imported account kept')
    return false
  })
  if (!isDeleted) return
  log.info({ did }, 'imported account deleted: it was not activated')
  await deps.accountDeletion.finish(account)
}

/** The state of an account that was never activated. */
export interface Activation {
  /** When it is deleted unless it is activated. Absent while it is kept. */
  readonly activateBy?: DatetimeString
  readonly kept?: 'move' | unactivated.KeptReason
}

/** Returns undefined for an account that is or was active, or was created here. */
export function activationOf(db: Reader, account: Account): Activation | undefined {
  if (account.isMinted === 1 || account.streamState !== streamStates.unannounced) return undefined
  if (unactivated.isBeingMoved(db, account.did)) return { kept: 'move' }
  if (account.kept !== null) return { kept: account.kept }
  return account.activateBy === null ? {} : { activateBy: account.activateBy }
}
