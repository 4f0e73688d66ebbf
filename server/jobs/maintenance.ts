/** Periodic maintenance: due deletions, expired sessions, reserved keys and mail tokens. */
import { deleteAccount, deleteFiles } from '../accounts/delete.ts'
import type { Blobs } from '../blobs/blobs.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { Database } from '../store/database.ts'
import * as accounts from '../store/tables/accounts.ts'
import * as mailTokens from '../store/tables/mail-tokens.ts'
import * as reservedKeys from '../store/tables/reserved-keys.ts'
import * as sessions from '../store/tables/sessions.ts'
import type { Logger } from '../util/log.ts'
import { iso } from '../util/time.ts'
import type { Background } from './background.ts'

interface Deps {
  readonly store: Database
  readonly mailer: Mailer
  readonly blobs: Blobs
  readonly background: Background
  readonly log: Logger
  readonly now: () => Date
}

const keepReservedKeysMs = 24 * 60 * 60_000
/** Mail tokens are kept after they expire, so that late use yields ExpiredToken instead of InvalidToken. */
const keepMailTokensMs = 24 * 60 * 60_000

/** Deletes accounts whose deletion is due, and expired rows. */
export async function sweep(services: Deps): Promise<void> {
  const { store, now, log } = services
  const at = now()
  const due = await store.transact((tx) => {
    const deleted = accounts.dueForDeletion(tx, iso(at))
    for (const { did } of deleted) deleteAccount(tx, did, at)
    sessions.removeExpired(tx, iso(at))
    reservedKeys.removeReservedBefore(tx, iso(new Date(at.getTime() - keepReservedKeysMs)))
    mailTokens.removeExpired(tx, iso(new Date(at.getTime() - keepMailTokensMs)))
    return deleted
  })
  for (const account of due) {
    log.info({ did: account.did }, 'account deleted: its deletion was due')
    deleteFiles(services, account)
  }
}
