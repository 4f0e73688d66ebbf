/**
 * Folders with files that a restore, an import or a salvage replaced. They contain the keys of accounts and their media, also of accounts
 * that are deleted later, so they are kept for 30 days only.
 */
import { join } from 'node:path'
import { type Files, nodeFiles } from '../files/files.ts'
import { parseReplacedName } from '../files/layout.ts'

export interface ReplacedData {
  /** Name of the folder in the data directory. */
  readonly name: string
  readonly replacedAt: Date
  /** When it may be deleted without a question. */
  readonly keptUntil: Date
  readonly bytes: number
}

const keptMs = 30 * 24 * 60 * 60_000

/** Lists the folders that a restore made, newest first. Links and folders with any other name are left out. */
export async function listReplaced(dir: string, files: Files = nodeFiles): Promise<ReplacedData[]> {
  const replaced: ReplacedData[] = []
  for (const name of await files.list(dir)) {
    const replacedAt = parseReplacedName(name)
    const content = replacedAt && (await files.measureDir(join(dir, name)))
    if (!content) continue
    const { bytes, changedAt = replacedAt } = content
    // A restore while the clock is behind gives a name that is older than the files.
    const since = Math.max(replacedAt.getTime(), changedAt.getTime())
    replaced.push({ name, replacedAt, keptUntil: new Date(since + keptMs), bytes })
  }
  return replaced.sort((a, b) => b.replacedAt.getTime() - a.replacedAt.getTime())
}

/** Deletes a folder that `listReplaced` lists. Returns whether there was one; nothing else is ever deleted. */
export async function deleteReplaced(dir: string, name: string, files: Files = nodeFiles): Promise<boolean> {
  if (parseReplacedName(name) === undefined) return false
  const folder = join(dir, name)
  if (!(await files.measureDir(folder))) return false
  await files.removeDir(folder)
  await files.syncDir(dir)
  return true
}
