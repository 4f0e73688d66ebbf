/** Periodic maintenance: due deletions, expired sessions, OAuth requests, reserved keys and mail tokens. */
import type { AccountDeletion } from '../../identity/accounts/delete.ts'
import { expireReservedKeys } from '../../identity/accounts/reserved-keys.ts'
import { expireUnactivated } from '../../identity/accounts/unactivated.ts'
import type { Identity } from '../../identity/identity.ts'
import * as mailTokens from '../../identity/tables/mail-tokens.ts'
import * as oauth from '../../identity/tables/oauth.ts'
import * as sessions from '../../identity/tables/sessions.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Writer } from '../../store/database.ts'
import * as accounts from '../../store/tables/accounts.ts'
import { iso } from '../../util/time.ts'

interface Deps extends Platform {
  readonly identity: Pick<Identity, 'resolveDid'>
  readonly operation: { readonly accountDeletion: AccountDeletion }
}

/** Mail tokens are kept after they expire, so that late use yields ExpiredToken instead of InvalidToken. */
const keepMailTokensMs = 24 * 60 * 60_000

/** The parts of maintenance. Each is a job of its own, so that none stops another. */
export function maintenanceParts({ identity, operation, ...platform }: Deps) {
  const { accountDeletion } = operation
  const deps = { ...platform, ...identity, accountDeletion }
  const { store, clock, now } = platform
  /** Work that deletes by age pauses while the clock is implausible. */
  const whenPlausible = (work: () => Promise<unknown>) => async () => {
    if (clock.isPlausible()) await work()
  }
  const removeExpiredTokens = (tx: Writer) =>
    mailTokens.removeExpired(tx, iso(new Date(now().getTime() - keepMailTokensMs)))
  return [
    { name: 'deletion of due accounts', run: whenPlausible(() => deleteDueAccounts(deps)) },
    { name: 'deletion of rows of accounts', run: () => accountDeletion.finishAll() },
    { name: 'expiry of imported accounts', run: whenPlausible(() => expireUnactivated(deps)) },
    { name: 'expiry of reserved keys', run: whenPlausible(() => expireReservedKeys(deps)) },
    {
      name: 'expiry of sessions',
      run: whenPlausible(() => store.transact((tx) => sessions.removeExpired(tx, iso(now())))),
    },
    {
      name: 'expiry of OAuth requests',
      run: whenPlausible(() => store.transact((tx) => oauth.removeExpired(tx, iso(now())))),
    },
    { name: 'expiry of mail tokens', run: whenPlausible(() => store.transact(removeExpiredTokens)) },
  ]
}

/** Deletes the accounts whose holders asked for it. */
async function deleteDueAccounts({
  store,
  now,
  log,
  accountDeletion,
}: Platform & { readonly accountDeletion: AccountDeletion }): Promise<void> {
  for (const account of accounts.dueForDeletion(store, iso(now()))) {
    const { did } = account
    try {
      const isDeleted = await store.transact((tx) => {
        const at = now()
        // Otherwise the account was activated or moved meanwhile.
        if (!accounts.dueForDeletion(tx, iso(at)).some((due) => due.did === did)) return false
        accountDeletion.hide(tx, did, at)
        return true
      })
      if (!isDeleted) continue
      log.info({ did }, 'account deleted: its deletion was due')
      await accountDeletion.finish(account)
    } catch (error) {
      log.error({ err: error, did }, 'deletion of an account failed')
    }
  }
}
