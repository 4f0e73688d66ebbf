/** `npm run restore -- --salvage`: opens the intact part of damaged data, after it has stated the loss and asked. */
import { createInterface } from 'node:readline/promises'
import { type SalvagePlan, salvage } from '../../platform/store/backups/salvage.ts'
import { databaseName } from '../../platform/store/layout.ts'
import { schema } from '../../platform/store/schema.ts'
import { iso } from '../../platform/util/time.ts'
import { backupPages } from '../replicas/local/page-source.ts'
import type { Invocation } from './command.ts'

type Flags = Pick<Invocation, 'dataDir' | 'acceptLoss' | 'acceptChanged'>

export async function runSalvage({ dataDir, acceptLoss, acceptChanged }: Flags): Promise<string> {
  const result = await salvage({
    directory: dataDir,
    schema,
    sources: [backupPages(dataDir)],
    now: () => new Date(),
    async confirm(plan) {
      process.stdout.write(`${describePlan(plan)}\n`)
      if (plan.from === 'changed') {
        return acceptChanged || ask('Open the changed database? [y/N] ', '--accept-changed')
      }
      return acceptLoss || ask('Open what verifies? [y/N] ', '--accept-loss')
    },
  })
  return result
    ? `Salvaged. The replaced files are in ${result.keptIn}. Start the server.`
    : 'Nothing was changed.'
}

export function describePlan(plan: SalvagePlan): string {
  const { from, backup, damaged, lostTransactions, isExact, keptUntil, writtenUntil } = plan
  const lines = []
  const broken = from === 'changed' ? damaged.slice(1) : damaged
  if (broken.length > 0) lines.push(`Damaged or missing: ${broken.join(', ')}.`)
  if (from === 'changed') {
    lines.push(
      'Another program changed the database. SQLite finds no error in it. What was changed is not known.',
    )
  }
  if (from === 'database' && damaged.includes(databaseName)) {
    lines.push('Its damaged pages are taken from a backup that has them in the same version.')
  }
  if (from === 'backup') {
    lines.push(
      `No backup has the damaged pages of the database. The newest intact backup is used: ${backup}.`,
      'BACKUPS.md describes how to recover newer rows with SQLite instead.',
    )
  }
  lines.push(describeLoss(lostTransactions, isExact))
  if (keptUntil) lines.push(`The newest record that is kept was written at ${iso(keptUntil)}.`)
  if (writtenUntil) lines.push(`The files were last written at ${iso(writtenUntil)}.`)
  return lines.join('\n')
}

function describeLoss(transactions: number, isExact: boolean): string {
  if (transactions === 0) {
    return isExact ? 'No transaction is lost.' : 'Lost: an unknown number of the last transactions.'
  }
  return `Lost: ${isExact ? '' : 'at least '}${transactions} of the last transactions.`
}

/** Asks in the terminal. @param flag answers instead where there is none */
export async function ask(question: string, flag: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new Error(`Nothing was changed. Add ${flag} to go on without a terminal.`)
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return /^y(es)?$/i.test((await terminal.question(question)).trim())
  } finally {
    terminal.close()
  }
}
