/** What time does to accounts: at the start and every minute, what is due is done. */

import { deleteAccount, forgetMail } from '../accounts/delete.ts'
import { submitPending } from '../accounts/plc.ts'
import type { Config } from '../config/config.ts'
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
  readonly config: Config
  readonly store: Database
  readonly mailer: Mailer
  readonly background: Background
  readonly log: Logger
  readonly now: () => Date
}

const everyMs = 60_000
const keepReservedKeysMs = 24 * 60 * 60_000
/** Mail tokens are kept past their end, so that a late one is told from a wrong one. */
const keepMailTokensMs = 24 * 60 * 60_000

/** Deletes accounts whose time has come, and rows that nothing can use any more; submits what the DID directory has not got yet. */
export async function sweep(services: Deps): Promise<void> {
  const { store, config, now, log } = services
  const at = now()
  const due = await store.transact((tx) => {
    const deleted = accounts.dueForDeletion(tx, iso(at))
    for (const { did } of deleted) deleteAccount(tx, did)
    sessions.removeExpired(tx, iso(at))
    reservedKeys.removeReservedBefore(tx, iso(new Date(at.getTime() - keepReservedKeysMs)))
    mailTokens.removeExpired(tx, iso(new Date(at.getTime() - keepMailTokensMs)))
    return deleted
  })
  for (const account of due) {
    log.info({ did: account.did }, 'deleted an account whose time had come')
    forgetMail(services, account)
  }
  if (config.plcUrl === undefined) return
  for (const account of accounts.withPendingOperation(store)) {
    // One that is refused must not keep those behind it waiting.
    await submitPending(services, account).catch((error: unknown) => {
      log.warn({ err: error, did: account.did }, 'the DID directory did not take an operation')
    })
  }
}

/** @returns a function that stops the sweeping */
export function startSweeper(services: Deps): () => void {
  const run = () => services.background.run('sweep', () => sweep(services))
  run()
  const timer = setInterval(run, everyMs).unref()
  return () => clearInterval(timer)
}
