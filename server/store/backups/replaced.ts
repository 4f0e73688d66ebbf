/**
 * Folders with files that a restore, an import or a salvage replaced. They contain the keys of accounts and their media, also of accounts
 * that are deleted later, so they are kept for 30 days only.
 */
import { join } from 'node:path'
import { type Files, nodeFiles } from '../files/files.ts'
import { databaseName, parseReplacedName } from '../files/layout.ts'
import type { Lock } from '../files/lock.ts'
import { StoreLocked } from '../files/store-errors.ts'

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

/**
 * Deletes a folder that `listReplaced` lists. Returns whether there was one; nothing else is ever deleted.
 * @throws Error with a sentence for people while an undo puts it back
 */
export async function deleteReplaced(dir: string, name: string, files: Files = nodeFiles): Promise<boolean> {
  if (parseReplacedName(name) === undefined) return false
  const folder = join(dir, name)
  if (!(await files.measureDir(folder))) return false
  const lock = await lockReplaced(files, folder).catch((error: unknown) => {
    if (error instanceof ReplacedInUse) throw error
    // A full disk has no space for a lock: delete without it, which frees space.
  })
  try {
    // An undo needs the database: it takes no folder of which a part is deleted.
    await files.remove(join(folder, databaseName))
    await files.removeDir(folder)
  } finally {
    await lock?.release()
  }
  await files.syncDir(dir)
  return true
}

/** Takes the lock of a folder of replaced files, which an undo moves and `deleteReplaced` removes. @throws ReplacedInUse */
export async function lockReplaced(files: Files, folder: string): Promise<Lock> {
  try {
    return await files.lock(folder)
  } catch (error) {
    throw error instanceof StoreLocked ? new ReplacedInUse(folder) : error
  }
}

class ReplacedInUse extends Error {
  constructor(folder: string) {
    super(`${folder} is being put back or deleted. Nothing was changed. Try again later.`)
  }
}
