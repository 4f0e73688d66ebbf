/** Reads a data directory: the snapshot, then the transactions of the journals. Changes nothing on disk. */
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { StoreDamaged } from './errors.ts'
import { type Files, isMissing } from './files.ts'
import { decodeFrame, type Frame, JournalDamage, readJournal } from './journal.ts'
import { isDamaged, journalPath, journalSeqs } from './layout.ts'
import { readSnapshot } from './snapshot.ts'
import type { Sqlite } from './sqlite.ts'

export interface Loaded {
  readonly sqlite: Sqlite
  /** Number of the last transaction in it. */
  readonly seq: number
  readonly snapshotBytes: number
  /** Whether the snapshot has a checksum beside it. */
  readonly hasChecksum: boolean
  /** Whether that checksum is damaged. */
  readonly hasDamagedChecksum: boolean
  /** The journals that were read, ascending. */
  readonly journals: readonly LoadedJournal[]
}

export interface LoadedJournal {
  readonly firstSeq: number
  readonly lastSeq: number
  /** Bytes up to the end of the last whole frame. */
  readonly length: number
}

export interface Range {
  /** Reads the journals that begin before this transaction. They are sealed: none may have a torn tail. */
  readonly before?: number
  /** Reads no journal after this one, and this one up to `length` bytes. */
  readonly newest?: { readonly firstSeq: number; readonly length: number }
}

/**
 * Loads the store. Throws StoreDamaged when a file is missing or fails its check. Skips a torn tail of the newest
 * journal, which a power cut leaves: its transactions were never acknowledged.
 */
export async function load(files: Files, dir: string, range: Range = {}): Promise<Loaded> {
  const { sqlite, seq, bytes, ...checksum } = await readSnapshot(files, dir)
  const { hasChecksum } = checksum
  try {
    const names = await files.list(dir)
    const damaged = names.find(isDamaged)
    if (damaged !== undefined) {
      const original = damaged.slice(0, damaged.indexOf('.damaged-'))
      throw new StoreDamaged(join(dir, original), 'was found damaged before', join(dir, damaged))
    }
    const end = Math.min(
      (range.before ?? Number.POSITIVE_INFINITY) - 1,
      range.newest?.firstSeq ?? Number.POSITIVE_INFINITY,
    )
    const seqs = journalSeqs(names).filter((first) => first <= end)
    const journals: LoadedJournal[] = []
    let last = seq
    for (const first of seqs) {
      if (first > last + 1) throw new StoreDamaged(journalPath(dir, last + 1), 'is missing')
      const path = journalPath(dir, first)
      const newest = range.before === undefined && first === seqs.at(-1)
      const content = await files.read(path, 'with room')
      const { frames, length } = checkedJournal(
        content.subarray(0, newest ? range.newest?.length : undefined),
        first,
        newest,
        path,
      )
      last = replay(sqlite, frames, last, path)
      const count = frames.reduce((sum, frame) => sum + frame.count, 0)
      if (length > 0) journals.push({ firstSeq: first, lastSeq: first + count - 1, length })
    }
    if (range.before !== undefined && last < range.before - 1) {
      throw new StoreDamaged(journalPath(dir, last + 1), 'is missing')
    }
    if (hasChecksum && journals.length === 0 && range.before === undefined) {
      throw new StoreDamaged(journalPath(dir, last + 1), 'is missing')
    }
    return { sqlite, seq: last, snapshotBytes: bytes, ...checksum, journals }
  } catch (error) {
    sqlite.close()
    throw error
  }
}

/** How often a load is tried again while no file is added or removed. */
const attempts = 10

/** Loads while checkpoints may replace the files. Tries again as long as one has: meanwhile a file can be missing. */
export async function loadDuringCheckpoint(files: Files, dir: string, range?: Range): Promise<Loaded> {
  let names = ''
  for (let attempt = 1; ; attempt++) {
    try {
      return await load(files, dir, range)
    } catch (error) {
      const isTransient = error instanceof StoreDamaged || isMissing(error)
      if (!isTransient || attempt === attempts) throw error
      const found = (await files.list(dir)).toSorted().join('\n')
      if (found !== names) attempt = 1
      names = found
      await setTimeout(20)
    }
  }
}

function checkedJournal(content: Uint8Array, firstSeq: number, newest: boolean, path: string) {
  try {
    return readJournal(content, firstSeq, newest)
  } catch (error) {
    if (error instanceof JournalDamage) throw new StoreDamaged(path, error.message)
    throw error
  }
}

/** Applies frames after `last` up to the first that does not fit. Returns the number of the last transaction. */
export function applyFrames(sqlite: Sqlite, frames: readonly Frame[], last: number): number {
  let applied = last
  for (const frame of frames) {
    try {
      applied = replay(sqlite, [frame], applied, '')
    } catch (error) {
      if (!(error instanceof StoreDamaged)) throw error
      sqlite.exec('ROLLBACK')
      break
    }
  }
  return applied
}

/** Applies the transactions after `last`, which may be within a frame, and returns the number of the last one. */
function replay(sqlite: Sqlite, frames: readonly Frame[], last: number, path: string): number {
  let applied = last
  for (const frame of frames) {
    if (frame.seq + frame.count - 1 <= applied) continue
    try {
      if (frame.seq > applied + 1) throw new Error(`it begins with ${frame.seq}`)
      const statements = decodeFrame(frame)
        .slice(applied + 1 - frame.seq)
        .flat()
      sqlite.exec('BEGIN')
      for (const statement of statements) sqlite.execute(...statement)
      sqlite.exec('COMMIT')
    } catch (error) {
      throw new StoreDamaged(path, `does not fit the snapshot (transaction ${applied + 1}: ${error})`)
    }
    applied = frame.seq + frame.count - 1
  }
  return applied
}
