/** `npm run restore -- --list`: the backups or the restore points of a place, and the folders of replaced files. */
import { listReplaced } from '../../store/backups/replaced.ts'
import { iso } from '../../util/time.ts'
import { systemTime } from '../../util/timers.ts'
import { findChain } from '../replicas/bring-back.ts'
import type { Base } from '../replicas/catalog.ts'
import { type Backup, damagedBackups, lastProven, listBackups } from '../replicas/local/list.ts'
import type { BackupProof } from '../replicas/local/proof.ts'
import { backupFolder } from '../replicas/local/target.ts'
import { readPoints } from '../replicas/restore-points.ts'
import { type RestoreInvocation, withSource } from './source.ts'

const endMark = '  the last state before a restore, or of another computer'

export async function describeRestorePoints(invocation: RestoreInvocation): Promise<string> {
  const { dataDir, flags } = invocation
  if (flags.from === undefined) {
    return [await describeBackups(dataDir), ...(await describeReplaced(dataDir))].join('\n')
  }
  return withSource(invocation, async ({ target }) => {
    // Fails for a key of another replica, or if there is nothing to restore.
    await findChain(target)
    const { points, ends } = await readPoints(target)
    const replaced = new Set(ends.map(iso))
    const lines = points.map((at) => `${iso(at)}${replaced.has(iso(at)) ? endMark : ''}`)
    return [`Restore points at ${flags.from}, for --at:`, '', ...lines].join('\n')
  })
}

async function describeBackups(dataDir: string): Promise<string> {
  const backups = await listBackups(dataDir)
  const damaged = (await damagedBackups(dataDir)).map(describeDamaged)
  if (backups.length + damaged.length === 0) return `There are no backups in ${backupFolder(dataDir)}.`
  const latest = lastProven(backups, systemTime())
  const summary =
    latest === undefined
      ? 'No backup has been proven restorable.'
      : `A backup was last proven restorable: ${iso(latest)}`
  return [summary, '', ...backups.map(describeOne), ...damaged].join('\n')
}

function describeDamaged({ name, at }: Base): string {
  return `${iso(at)}  ${name}\n  not restorable: files of it are cut off or missing`
}

async function describeReplaced(dataDir: string): Promise<string[]> {
  const replaced = await listReplaced(dataDir)
  if (replaced.length === 0) return []
  const lines = replaced.map(
    ({ name, replacedAt, keptUntil, bytes }) =>
      `${iso(replacedAt)}  ${bytes} bytes  ${name}\n  deleted on ${iso(keptUntil).slice(0, 10)}`,
  )
  return ['', 'Replaced files:', '', ...lines]
}

function describeOne({ name, at, bytes, isPartial, proof }: Backup): string {
  const kind = isPartial ? '  incomplete' : ''
  return `${iso(at)}${kind}  ${bytes} bytes  ${name}\n  ${describeProof(proof)}`
}

function describeProof(proof: BackupProof | undefined): string {
  if (!proof) return 'not checked yet'
  const { checkedAt, provenAt, problem, missing } = proof
  const lost = missing ? `, without ${missing.count} lost media files: ${missing.cids.join(', ')}` : ''
  if (problem === undefined) return `last proven restorable: ${iso(checkedAt)}${lost}`
  const before = provenAt ? ` (last proven restorable: ${iso(provenAt)})` : ''
  return `not restorable: ${problem}${before}`
}
