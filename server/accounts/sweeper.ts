/** What time does to accounts: at the start and every minute, what is due is done. */
import type { Services } from '../services.ts'
import * as accounts from '../store/accounts.ts'
import * as mailTokens from '../store/mail-tokens.ts'
import * as sessions from '../store/sessions.ts'
import { deleteAccount } from './delete.ts'

const everyMs = 60_000
/** Mail tokens are kept past their end, so that a late one is told from a wrong one. */
const keepMailTokensMs = 24 * 60 * 60_000

/** Deletes accounts whose time has come, and rows that nothing can use any more. */
export async function sweep({ store, now, log }: Pick<Services, 'store' | 'now' | 'log'>): Promise<void> {
  const at = now()
  const due = accounts.dueForDeletion(store, at.toISOString())
  await store.transact((tx) => {
    for (const { did } of due) deleteAccount(tx, did)
    sessions.removeExpired(tx, at.toISOString())
    mailTokens.removeExpired(tx, new Date(at.getTime() - keepMailTokensMs).toISOString())
  })
  for (const { did } of due) log.info({ did }, 'deleted an account whose time had come')
}

/** @returns a function that stops the sweeping */
export function startSweeper(services: Pick<Services, 'store' | 'now' | 'log' | 'background'>): () => void {
  const run = () => services.background.run('sweep', () => sweep(services))
  run()
  const timer = setInterval(run, everyMs).unref()
  return () => clearInterval(timer)
}
