/** Reads a data directory: the database, then the transactions of the journals. Changes nothing on disk. */
import { join } from 'node:path'
import { type Files, readData } from '../files/files.ts'
import { isDamaged, journalPath, journalSeqs, originalName } from '../files/layout.ts'
import { StoreDamaged, StoreForTests, StoreUnavailable } from '../files/store-errors.ts'
import { closeFile, type OpenedDatabase, openDatabase } from '../pages/database-file.ts'
import type { Sqlite } from '../pages/sqlite.ts'
import {
  decodeFrames,
  type Frames,
  isJournalForTests,
  JournalDamage,
  readJournal,
  readTail,
  type TornTail,
} from './journal.ts'

/** With the transactions of the journals. */
export interface Loaded extends OpenedDatabase {
  /** The journals that were read, ascending. */
  readonly journals: readonly LoadedJournal[]
  /** The end of the newest journal that was left out. */
  readonly tail: TornTail | undefined
}

export interface LoadedJournal {
  readonly firstSeq: number
  readonly lastSeq: number
  /** Bytes up to the end of the last whole frame. */
  readonly length: number
  /** The texts of its statements, in the order of their numbers. */
  readonly texts: readonly string[]
}

/** Transactions of a replay that are committed at once: a commit writes each page that has changed. */
const replayedTogether = 256

export interface ReplayOptions {
  /** Reads no journal after this one, and this one up to `length` bytes. */
  readonly newest?: { readonly firstSeq: number; readonly length: number }
  /** Applies no later transaction. */
  readonly upTo?: number | undefined
}

/**
 * Loads the store. Throws StoreDamaged when a file is missing or fails its check. Skips a torn tail of the newest
 * journal, which a power cut leaves: its transactions were never acknowledged.
 * @param verified the result of `verifyDatabase`
 * @param upTo applies no later transaction
 */
export async function load(
  files: Files,
  dir: string,
  { verified, upTo }: { readonly verified?: Uint8Array | undefined; readonly upTo?: number | undefined } = {},
): Promise<Loaded> {
  const opened = await openDatabase(files, dir, verified)
  try {
    const damaged = (await files.list(dir)).find(isDamaged)
    if (damaged !== undefined) {
      throw new StoreDamaged(join(dir, originalName(damaged)), 'was found damaged before', join(dir, damaged))
    }
    const { seq, journals, tail } = await replayJournals(files, dir, opened, { upTo })
    if (opened.checkedBy !== 'integrity check' && journals.length === 0) {
      throw new StoreDamaged(journalPath(dir, seq + 1), 'is missing')
    }
    return { ...opened, seq, journals, tail }
  } catch (error) {
    await closeFile(opened)
    throw error
  }
}

/**
 * Applies the transactions of the journals after `seq`. Returns the number of the last one.
 * @throws StoreDamaged when one is missing or fails its check, StoreForTests
 */
export async function replayJournals(
  files: Files,
  dir: string,
  { sqlite, seq }: { readonly sqlite: Sqlite; readonly seq: number },
  { newest, upTo }: ReplayOptions = {},
): Promise<Pick<Loaded, 'seq' | 'tail'> & { journals: LoadedJournal[] }> {
  const seqs = journalSeqs(await files.list(dir)).filter((first) => first <= (newest?.firstSeq ?? first))
  const journals: LoadedJournal[] = []
  let last = seq
  let tail: TornTail | undefined
  for (const [at, first] of seqs.entries()) {
    // The database has all of it.
    const next = seqs[at + 1]
    if (next !== undefined && next <= seq + 1) continue
    // One is read even if the database has everything: its absence is damage.
    if (journals.length > 0 && last >= (upTo ?? Number.POSITIVE_INFINITY)) break
    if (first > last + 1) throw new StoreDamaged(journalPath(dir, last + 1), 'is missing')
    const path = journalPath(dir, first)
    const isNewest = next === undefined
    const content = await readData(files, path)
    if (isJournalForTests(content) && !files.isForTests) throw new StoreForTests(path)
    const end = isNewest ? newest?.length : undefined
    const journal = checkedJournal(content.subarray(0, end), first, isNewest, path)
    const texts: string[] = []
    const applied = applyFrames(sqlite, journal, last, { upTo, together: replayedTogether, texts })
    if (applied.error instanceof StoreDamaged || applied.error instanceof StoreUnavailable)
      throw applied.error
    if (applied.error !== undefined) {
      throw new StoreDamaged(
        path,
        `does not fit the database (transaction ${applied.last + 1}: ${applied.error})`,
      )
    }
    last = applied.last
    if (isNewest && !newest) tail = readTail(content, journal.length)
    const { frames, length } = journal
    const count = frames.reduce((sum, frame) => sum + frame.count, 0)
    if (length > 0) journals.push({ firstSeq: first, lastSeq: first + count - 1, length, texts })
  }
  return { seq: last, journals, tail }
}

function checkedJournal(content: Uint8Array, firstSeq: number, newest: boolean, path: string) {
  try {
    return readJournal(content, firstSeq, newest)
  } catch (error) {
    if (error instanceof JournalDamage) throw new StoreDamaged(path, error.message)
    throw error
  }
}

interface ApplyOptions {
  readonly upTo?: number | undefined
  readonly together?: number
  readonly texts?: string[]
}

/**
 * Applies the transactions of a journal after `last`, up to the first that does not fit. Returns the number of the last one, and the
 * error of the next one.
 * @param upTo the last transaction to apply
 * @param together transactions that are committed at once; after an error, those before it are rolled back, too
 * @param texts gets the texts of the journal's statements
 */
export function applyFrames(
  sqlite: Sqlite,
  journal: Frames,
  last: number,
  { upTo = Number.POSITIVE_INFINITY, together = 1, texts = [] }: ApplyOptions = {},
): { last: number; error?: unknown } {
  let applied = last
  function* later() {
    for (const { seq, statements } of decodeFrames(journal, texts)) {
      if (seq <= applied) continue
      if (seq > upTo) return
      if (seq > applied + 1) throw new Error(`it begins with ${seq}`)
      yield statements
      applied = seq
    }
  }
  try {
    sqlite.replay(later(), together)
    return { last: applied }
  } catch (error) {
    return { last: applied, error }
  }
}
