/** The checkpoint: merges the snapshot and the sealed journals into a new snapshot. */
import type { Files } from './files.ts'
import { journalPath, journalSeqs } from './layout.ts'
import { load } from './recover.ts'
import { exportSnapshot, putSnapshot } from './snapshot.ts'

/**
 * Merges the journals that start before transaction `before` into the snapshot and removes them. A crash or failure at any
 * point loses nothing and applies nothing twice. Returns the bytes of the new snapshot.
 */
export async function checkpoint(files: Files, dir: string, before: number): Promise<number> {
  const { sqlite, seq } = await load(files, dir, { before })
  try {
    const bytes = exportSnapshot(sqlite, seq)
    await replaceSnapshot(files, dir, [bytes], before)
    return bytes.length
  } finally {
    sqlite.close()
  }
}

/**
 * Installs a snapshot that contains every transaction before `before`, then removes the journals that it
 * replaces.
 */
export async function replaceSnapshot(
  files: Files,
  dir: string,
  chunks: Iterable<Uint8Array>,
  before: number,
): Promise<void> {
  await putSnapshot(files, dir, chunks)
  await removeJournals(files, dir, before)
}

/** Removes the journals that start before transaction `before`; the snapshot on disk must contain them. */
export async function removeJournals(files: Files, dir: string, before: number): Promise<void> {
  for (const first of journalSeqs(await files.list(dir))) {
    if (first < before) await files.remove(journalPath(dir, first))
  }
}
