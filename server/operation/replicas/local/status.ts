/** The state of the backups for scripts. */
import { pathToFileURL } from 'node:url'
import { type Files, nodeFiles } from '../../../platform/store/files.ts'
import { iso } from '../../../platform/util/time.ts'
import type { ScriptStatus } from '../status.ts'
import { listBackups } from './list.ts'
import { backupFolder } from './target.ts'

export async function backupStatus(dataDir: string, files: Files = nodeFiles): Promise<ScriptStatus> {
  const backups = await listBackups(dataDir, files)
  const complete = backups.find(({ isPartial }) => !isPartial)
  const proven = backups.flatMap(({ proof }) => proof?.provenAt ?? []).toSorted((a, b) => +b - +a)
  return {
    place: pathToFileURL(backupFolder(dataDir)).href,
    lastCopiedAt: complete ? iso(complete.at) : null,
    behindSeconds: null,
    lastProvenAt: proven[0] ? iso(proven[0]) : null,
    error: backups[0]?.proof?.problem ?? null,
  }
}
