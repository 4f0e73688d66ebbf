/** What happens to a journal whose transactions are in the database file. */
import { join } from 'node:path'
import { exists } from '../files/blob-files.ts'
import type { Files } from '../files/files.ts'
import {
  copiesName,
  endedTimelinesName,
  journalPath,
  journalSeqs,
  keptJournalsName,
  timelinesName,
} from '../files/layout.ts'

/** The folder of journals that are kept for the continuous copies. */
export function keptJournals(dir: string): string {
  return join(dir, copiesName, keptJournalsName)
}

/** Retires the journals that start before transaction `before`; the database file must contain them. */
export async function retireJournals(files: Files, dir: string, before: number): Promise<void> {
  for (const first of journalSeqs(await files.list(dir))) {
    if (first < before) await retireJournal(files, dir, first)
  }
}

/** Removes a journal, or keeps it for the continuous copies. */
export async function retireJournal(files: Files, dir: string, first: number): Promise<void> {
  const kept = keptJournals(dir)
  if (!(await exists(files, kept))) {
    await files.remove(journalPath(dir, first))
    return
  }
  await files.rename(journalPath(dir, first), journalPath(kept, first))
  // Its new name is on disk before the old one is not.
  await files.syncDir(kept)
}

/** Removes kept journals of which all transactions are before `seq`. */
export async function forgetJournals(files: Files, dir: string, seq: number): Promise<void> {
  const kept = keptJournals(dir)
  const seqs = journalSeqs(await files.list(kept))
  const [oldest] = journalSeqs(await files.list(dir))
  for (const [at, first] of seqs.entries()) {
    const next = seqs[at + 1] ?? oldest
    if (next !== undefined && next <= seq) await files.remove(journalPath(kept, first))
  }
}

/** Ends the continuous copies of the data so far: later transactions do not continue the journals. Call it before the data change. */
export async function forgetCopies(files: Files, dir: string): Promise<void> {
  if (!(await exists(files, join(dir, copiesName)))) return
  const kept = keptJournals(dir)
  const timelines = join(dir, copiesName, timelinesName)
  if (await exists(files, timelines)) await files.rename(timelines, join(dir, copiesName, endedTimelinesName))
  for (const first of journalSeqs(await files.list(kept))) await files.remove(journalPath(kept, first))
}
