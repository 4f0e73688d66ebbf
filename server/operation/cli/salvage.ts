/** `npm run restore -- --salvage`: opens the intact part of damaged data, after it has stated the loss and asked. */

import { schema } from '../../schema/schema.ts'
import { type PageSource, type SalvagePlan, salvage } from '../../store/backups/salvage.ts'
import { databaseName } from '../../store/files/layout.ts'
import { readReplicaKey } from '../../store/files/replica-key-file.ts'
import { iso } from '../../util/time.ts'
import { systemTime } from '../../util/timers.ts'
import { findChain } from '../replicas/bring-back.ts'
import { backupPages, replicaPages } from '../replicas/replica-pages.ts'
import type { Target } from '../replicas/send.ts'
import { describeHandles } from './bring-back.ts'
import { withoutRemedy } from './command.ts'
import { type RestoreInvocation, withSource } from './source.ts'
import { ask } from './terminal.ts'

const placeHint = ' With --from URL --key FILE, pages of a place are used, too.'
const otherHint =
  ' The key is not that of these data, so the place may have another server: only single pages of it were used.'

export function runSalvage(invocation: RestoreInvocation): Promise<string> {
  const { dataDir, flags } = invocation
  return withSource(invocation, async ({ target }) => {
    const isOfPlace = flags.from !== undefined
    // Fails for a wrong key.
    if (isOfPlace) await findChain(target)
    const key = isOfPlace ? await readReplicaKey(dataDir) : undefined
    const isOther = key !== undefined && key !== target.sealer.fingerprint
    const work = salvage({
      directory: dataDir,
      schema,
      sources: [backupPages(dataDir), ...(isOfPlace ? [pagesAt(target, isOther)] : [])],
      now: systemTime,
      async confirm(plan, sqlite) {
        process.stdout.write(`${describePlan(plan, isOfPlace)}\nAccounts: ${describeHandles(sqlite)}.\n`)
        if (plan.from === 'changed') {
          return flags['accept-changed'] || ask('Open the changed database? [y/N] ', '--accept-changed')
        }
        return flags['accept-loss'] || ask('Open what verifies? [y/N] ', '--accept-loss')
      },
    })
    const result = await withoutRemedy(work, isOther ? otherHint : isOfPlace ? '' : placeHint)
    return result
      ? `Salvaged. The replaced files are in ${result.keptIn}. Start the server.`
      : 'Nothing was changed.'
  })
}

/** Checksums decide on single pages. A whole database is taken only from a place with the key that the data name: another may have another server. */
function pagesAt(target: Target, isOther: boolean): PageSource {
  const source = replicaPages(target)
  return isOther ? { pages: source.pages } : source
}

/** @param isOfPlace whether a place was asked, too */
function describePlan(plan: SalvagePlan, isOfPlace: boolean): string {
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
    lines.push('Its damaged pages are taken from a backup or place that has them in the same version.')
  }
  if (from === 'backup') {
    lines.push(
      `No backup${isOfPlace ? ' or place' : ''} has the damaged pages of the database. The newest intact one is used: ${backup}.`,
      ...(isOfPlace ? [] : [placeHint.trim()]),
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
