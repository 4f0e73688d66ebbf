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
  upgradedTimelinesName,
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

/** Ends the continuous copies of the data so far: other data come in their place. Call it before the data change. */
export async function forgetCopies(files: Files, dir: string): Promise<void> {
  await setTimelinesAside(files, dir, [upgradedTimelinesName, timelinesName], endedTimelinesName)
  await forgetAllJournals(files, dir)
}

/** Lets continuous copies go on with a base: later transactions continue the data, and no journal. Call it before the data change. */
export async function interruptCopies(files: Files, dir: string): Promise<void> {
  await setTimelinesAside(files, dir, [timelinesName], upgradedTimelinesName)
  await forgetAllJournals(files, dir)
}

/** Gives files of timelines another name; the last one that exists remains. */
async function setTimelinesAside(
  files: Files,
  dir: string,
  names: readonly string[],
  to: string,
): Promise<void> {
  const path = (name: string) => join(dir, copiesName, name)
  for (const name of names) if (await exists(files, path(name))) await files.rename(path(name), path(to))
}

async function forgetAllJournals(files: Files, dir: string): Promise<void> {
  const kept = keptJournals(dir)
  for (const first of journalSeqs(await files.list(kept))) await files.remove(journalPath(kept, first))
}
