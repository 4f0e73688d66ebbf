/** The checksum of the content of a database, independent of the layout of its pages. */
import { createHash } from 'node:crypto'
import type { Files } from '../files/files.ts'
import { StoreDamaged } from '../files/store-errors.ts'
import { load } from '../journal/recover.ts'
import { closeFile, openChecked, setSeq } from '../pages/database-file.ts'
import type { Sqlite, SqlValue } from '../pages/sqlite.ts'

export interface Summary {
  /** Number of the last transaction. */
  readonly seq: number
  /** SHA-256 of the rows of all tables, in hexadecimal. */
  readonly sha256: string
}

/** Rows that are in memory at once. */
const sliceRows = 1000
/** A checkpoint may write pages while they are read. */
const readAttempts = 5

/** Summarizes a data directory as it is on disk, also while a server writes it. @throws StoreDamaged */
export async function summarizeData(files: Files, dir: string): Promise<Summary> {
  for (let left = readAttempts; ; left--) {
    try {
      const loaded = await load(files, dir)
      try {
        return summarize(loaded.sqlite, loaded.seq)
      } finally {
        await closeFile(loaded)
      }
    } catch (error) {
      const isChanging = error instanceof StoreDamaged || (error as NodeJS.ErrnoException).code === 'ENOENT'
      if (!isChanging || left === 1) throw error
    }
  }
}

/** Summarizes a database file. */
export async function summarizeFile(files: Files, path: string): Promise<Summary> {
  const opened = await openChecked(files, path)
  try {
    return summarize(opened.sqlite, opened.seq)
  } finally {
    await closeFile(opened)
  }
}

function summarize(sqlite: Sqlite, seq: number): Summary {
  setSeq(sqlite, seq)
  const hash = createHash('sha256')
  const tables = sqlite.all<{ name: string; sql: string }>(
    "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name",
  )
  for (const { name, sql } of tables) {
    hash.update(`${sql};`)
    for (let offset = 0; ; offset += sliceRows) {
      const rows = sqlite.all<Record<string, SqlValue>>(`SELECT * FROM "${name}" LIMIT ? OFFSET ?`, [
        sliceRows,
        offset,
      ])
      for (const row of rows) for (const value of Object.values(row)) addValue(value)
      if (rows.length < sliceRows) break
    }
  }
  return { seq, sha256: hash.digest('hex') }

  function addValue(value: SqlValue): void {
    const bytes = value instanceof Uint8Array ? value : Buffer.from(String(value))
    hash.update(`${value === null ? 'null' : typeof value} ${bytes.length} `).update(bytes)
  }
}
