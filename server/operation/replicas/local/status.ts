/** The state of the backups for scripts. */
import { pathToFileURL } from 'node:url'
import { type Files, nodeFiles } from '../../../platform/store/files.ts'
import { iso } from '../../../platform/util/time.ts'
import type { ScriptStatus } from '../status.ts'
import { lastProven, listBackups, withoutFuture } from './list.ts'
import { backupFolder } from './target.ts'

export async function backupStatus(
  dataDir: string,
  now: Date,
  files: Files = nodeFiles,
): Promise<ScriptStatus> {
  const backups = withoutFuture(await listBackups(dataDir, files), now)
  const complete = backups.find(({ isPartial }) => !isPartial)
  const proven = lastProven(backups, now)
  return {
    place: pathToFileURL(backupFolder(dataDir)).href,
    lastCopiedAt: complete ? iso(complete.at) : null,
    behindSeconds: null,
    lastProvenAt: proven ? iso(proven) : null,
    error: backups[0]?.proof?.problem ?? null,
  }
}
