/** The backups of a data directory. */
import { join } from 'node:path'
import { type Files, nodeFiles } from '../../../store/files/files.ts'
import { type Base, endName, readContent } from '../catalog.ts'
import { dayMs } from '../replica-retention.ts'
import { type BackupProof, proofName, readProof } from './proof.ts'
import { backupFolder, localTarget } from './target.ts'

export interface Backup extends Base {
  /** The result of the last check; undefined before the first. */
  readonly proof: BackupProof | undefined
}

/** Lists the backups of a data directory, newest first. */
export async function listBackups(dataDir: string, files: Files = nodeFiles): Promise<Backup[]> {
  const { bases } = await readContent(localTarget(dataDir, files))
  const backups = bases.map(async (base) => ({
    ...base,
    proof: await readProof(files, join(backupFolder(dataDir), base.name)),
  }))
  return (await Promise.all(backups)).sort((a, b) => b.at.getTime() - a.at.getTime())
}

/** Leaves out backups from the future, which were made while the clock was wrong, unless there are no others. */
export function withoutFuture<T extends Pick<Backup, 'at'>>(backups: readonly T[], now: Date): readonly T[] {
  const past = backups.filter(({ at }) => at <= now)
  return past.length > 0 ? past : backups
}

/** Returns when a backup was last proven restorable, leaving out proofs from the future; undefined if never. */
export function lastProven(backups: readonly Backup[], now: Date): Date | undefined {
  const proven = backups.flatMap(({ proof }) => proof?.provenAt ?? []).filter((at) => at <= now)
  return proven.toSorted((a, b) => b.getTime() - a.getTime())[0]
}

/** Whether a day has passed since the newest backup, which may be partial. */
export async function backupIsDue(dataDir: string, now: Date, files: Files = nodeFiles): Promise<boolean> {
  // A backup from the future was made while the clock was wrong.
  const newest = (await listBackups(dataDir, files)).find(({ at }) => at <= now)
  return newest === undefined || now.getTime() - newest.at.getTime() >= dayMs
}

/** Returns the backups that were complete and no longer are, because files of them are damaged, oldest first. */
export async function damagedBackups(dataDir: string, files: Files = nodeFiles): Promise<Base[]> {
  return (await unfinishedBases(dataDir, files)).filter(({ names }) => wasComplete(names))
}

/** Returns the partial backups of a killed process, with the names of their files. */
export async function abandonedBackups(dataDir: string, files: Files) {
  return (await unfinishedBases(dataDir, files)).filter(({ names }) => !wasComplete(names))
}

async function unfinishedBases(dataDir: string, files: Files) {
  const { unfinished } = await readContent(localTarget(dataDir, files))
  const namesIn = ({ name }: Base) => files.list(join(backupFolder(dataDir), name))
  return Promise.all(unfinished.map(async (base) => ({ ...base, names: await namesIn(base) })))
}

/** The end is written last, a proof afterwards. */
function wasComplete(names: readonly string[]): boolean {
  return names.includes('end') || names.includes(proofName)
}

/** The proof first, then the end: a base that lacks both counts as incomplete. */
export async function removeBackup(
  dataDir: string,
  files: Files,
  { name }: Pick<Base, 'name'>,
): Promise<void> {
  const { place } = localTarget(dataDir, files)
  await place.remove(`${name}/${proofName}`)
  await place.remove(endName(name))
  await place.remove(name)
}
