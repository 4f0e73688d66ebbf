/** Databases as bytes, for tests that look into files of the store, or write them. */
import { readFileSync } from 'node:fs'
import { zstdDecompressSync } from 'node:zlib'
import { setSeq } from '../../../server/store/pages/database-file.ts'
import { Sqlite } from '../../../server/store/pages/sqlite.ts'

/** Opens a copy of a database file, or of a compressed one. */
export async function openBytes(file: string | Uint8Array): Promise<Sqlite> {
  const bytes = typeof file === 'string' ? readFileSync(file) : file
  const isCompressed = Buffer.from(bytes.subarray(0, 4)).toString('hex') === '28b52ffd'
  return Sqlite.open(isCompressed ? zstdDecompressSync(bytes) : bytes)
}

/** Returns a database as a version from before the first release wrote it. */
export async function unreleased(file: string | Uint8Array): Promise<Buffer> {
  const sqlite = await openBytes(file)
  sqlite.exec('UPDATE store_meta SET format = 1; PRAGMA user_version = 55')
  return bytesOf(sqlite)
}

/** Returns a database as a file, up to transaction `seq` if it is given. */
export function bytesOf(sqlite: Sqlite, seq?: number): Buffer {
  if (seq !== undefined) setSeq(sqlite, seq)
  return Buffer.concat([...sqlite.chunks()])
}
