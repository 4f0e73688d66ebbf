/** What time does to accounts: at the start and every minute, what is due is done. */

import type { Services } from '../services.ts'
import * as accounts from '../store/accounts.ts'
import * as mailTokens from '../store/mail-tokens.ts'
import * as reservedKeys from '../store/reserved-keys.ts'
import * as sessions from '../store/sessions.ts'
import { iso } from '../time.ts'
import { deleteAccount } from './delete.ts'
import { submitPending } from './plc.ts'

const everyMs = 60_000
const keepReservedKeysMs = 24 * 60 * 60_000
/** Mail tokens are kept past their end, so that a late one is told from a wrong one. */
const keepMailTokensMs = 24 * 60 * 60_000

type Swept = Pick<Services, 'store' | 'config' | 'now' | 'log'>

/** Deletes accounts whose time has come, and rows that nothing can use any more; submits what the DID directory has not got yet. */
export async function sweep(services: Swept): Promise<void> {
  const { store, config, now, log } = services
  const at = now()
  const due = accounts.dueForDeletion(store, iso(at))
  await store.transact((tx) => {
    for (const { did } of due) deleteAccount(tx, did)
    sessions.removeExpired(tx, iso(at))
    reservedKeys.removeReservedBefore(tx, iso(new Date(at.getTime() - keepReservedKeysMs)))
    mailTokens.removeExpired(tx, iso(new Date(at.getTime() - keepMailTokensMs)))
  })
  for (const { did } of due) log.info({ did }, 'deleted an account whose time had come')
  if (config.plcUrl === undefined) return
  for (const account of accounts.withPendingOperation(store)) await submitPending(services, account)
}

/** @returns a function that stops the sweeping */
export function startSweeper(services: Swept & Pick<Services, 'background'>): () => void {
  const run = () => services.background.run('sweep', () => sweep(services))
  run()
  const timer = setInterval(run, everyMs).unref()
  return () => clearInterval(timer)
}
