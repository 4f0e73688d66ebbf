/** Periodic maintenance: due deletions, expired sessions, reserved keys and mail tokens. */
import { deleteAccount, finishDeletion, finishDeletions } from '../../identity/accounts/delete.ts'
import { expireReservedKeys } from '../../identity/accounts/reserved-keys.ts'
import { expireUnactivated } from '../../identity/accounts/unactivated.ts'
import type { TrustedClock } from '../../platform/clock/trusted-clock.ts'
import type { Database } from '../../platform/store/database.ts'
import * as accounts from '../../platform/store/tables/accounts.ts'
import * as mailTokens from '../../platform/store/tables/mail-tokens.ts'
import * as sessions from '../../platform/store/tables/sessions.ts'
import type { Logger } from '../../platform/util/log.ts'
import { iso } from '../../platform/util/time.ts'

type Deps = Parameters<typeof finishDeletion>[0] &
  Parameters<typeof expireUnactivated>[0] &
  Parameters<typeof expireReservedKeys>[0] & {
    readonly store: Database
    readonly log: Logger
    readonly now: () => Date
    readonly clock: Pick<TrustedClock, 'isPlausible'>
  }

/** A part of maintenance. Each is a job of its own, so that none stops another. */
export interface MaintenancePart {
  readonly name: string
  run(services: Deps): Promise<unknown>
}

/** Mail tokens are kept after they expire, so that late use yields ExpiredToken instead of InvalidToken. */
const keepMailTokensMs = 24 * 60 * 60_000

export const maintenanceParts: readonly MaintenancePart[] = [
  { name: 'deletion of due accounts', run: whenPlausible(deleteDueAccounts) },
  { name: 'deletion of rows of accounts', run: finishDeletions },
  { name: 'expiry of imported accounts', run: whenPlausible(expireUnactivated) },
  { name: 'expiry of reserved keys', run: whenPlausible(expireReservedKeys) },
  {
    name: 'expiry of sessions',
    run: whenPlausible(({ store, now }) => store.transact((tx) => sessions.removeExpired(tx, iso(now())))),
  },
  {
    name: 'expiry of mail tokens',
    run: whenPlausible(({ store, now }) =>
      store.transact((tx) => mailTokens.removeExpired(tx, iso(new Date(now().getTime() - keepMailTokensMs)))),
    ),
  },
]

/** Work that deletes by age pauses while the clock is implausible. */
function whenPlausible(work: (services: Deps) => Promise<unknown>): MaintenancePart['run'] {
  return async (services) => {
    if (services.clock.isPlausible()) await work(services)
  }
}

/** Runs all parts. A failure is logged, and the others run all the same. */
export async function sweep(services: Deps): Promise<void> {
  for (const { name, run } of maintenanceParts) {
    await run(services).catch((error: unknown) => services.log.error({ err: error }, `${name} failed`))
  }
}

/** Deletes the accounts whose holders asked for it. */
async function deleteDueAccounts(services: Deps): Promise<void> {
  const { store, now, log } = services
  for (const account of accounts.dueForDeletion(store, iso(now()))) {
    const { did } = account
    try {
      const isDeleted = await store.transact((tx) => {
        const at = now()
        // Otherwise the account was activated or moved meanwhile.
        if (!accounts.dueForDeletion(tx, iso(at)).some((due) => due.did === did)) return false
        deleteAccount(tx, did, at)
        return true
      })
      if (!isDeleted) continue
      log.info({ did }, 'account deleted: its deletion was due')
      await finishDeletion(services, account)
    } catch (error) {
      log.error({ err: error, did }, 'deletion of an account failed')
    }
  }
}
