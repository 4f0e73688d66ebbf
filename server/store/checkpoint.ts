/** The checkpoint: snapshot and sealed journals become a new snapshot. */
import type { Files } from './files.ts'
import { journalPath, journalSeqs } from './layout.ts'
import { load } from './recover.ts'
import { exportSnapshot, putSnapshot } from './snapshot.ts'

/**
 * Checkpoints the journals that begin before transaction `before` into the snapshot and removes them. A crash or a
 * failure at any point loses nothing and applies nothing twice. Returns the size of the new snapshot in
 * bytes.
 */
export async function checkpoint(files: Files, dir: string, before: number): Promise<number> {
  const { sqlite, seq } = await load(files, dir, { before })
  try {
    const bytes = exportSnapshot(sqlite, seq)
    await replaceSnapshot(files, dir, bytes, before)
    return bytes.length
  } finally {
    sqlite.close()
  }
}

/**
 * Puts a snapshot in place that holds everything before transaction `before`, then removes the journals that
 * it replaces.
 */
export async function replaceSnapshot(
  files: Files,
  dir: string,
  bytes: Uint8Array,
  before: number,
): Promise<void> {
  await putSnapshot(files, dir, bytes)
  await removeJournals(files, dir, before)
}

/** Removes the journals that begin before transaction `before`, which the snapshot on disk holds whole. */
export async function removeJournals(files: Files, dir: string, before: number): Promise<void> {
  for (const first of journalSeqs(await files.list(dir))) {
    if (first < before) await files.remove(journalPath(dir, first))
  }
}
