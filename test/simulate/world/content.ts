/** What a database has: its repositories, and a checksum of the rows of each table. */
import { createHash } from 'node:crypto'
import type { Reader } from '../../../server/store/pages/reader.ts'
import type { SqlValue } from '../../../server/store/pages/sqlite.ts'
import { cidText } from '../../../server/util/cid.ts'

export interface RestoredRepository {
  /** CID of the latest commit. */
  readonly root: string
  /** CIDs by `collection/rkey`. */
  readonly records: Map<string, string>
}

export interface Content {
  /** By DID. */
  readonly repositories: ReadonlyMap<string, RestoredRepository>
  /** Checksums of tables by their names. */
  readonly tables: ReadonlyMap<string, string>
}

interface RecordRow {
  readonly did: string
  readonly nsid: string
  readonly rkey: string
  readonly cid: Uint8Array
}

export function contentOf(sqlite: Reader): Content {
  const repositories = new Map<string, RestoredRepository>()
  const roots = sqlite.all<{ did: string; commit_cid: Uint8Array }>(
    'SELECT did, commit_cid FROM repos JOIN actors ON actors.id = repos.actor',
  )
  for (const { did, commit_cid } of roots)
    repositories.set(did, { root: cidText(commit_cid), records: new Map() })
  const records = sqlite.all<RecordRow>(
    `SELECT did, nsid, rkey, cid FROM records JOIN actors ON actors.id = records.actor
     JOIN collections ON collections.id = records.collection`,
  )
  for (const { did, nsid, rkey, cid } of records)
    repositories.get(did)?.records.set(`${nsid}/${rkey}`, cidText(cid))
  return { repositories, tables: tablesOf(sqlite) }
}

function tablesOf(sqlite: Reader): Map<string, string> {
  const tables = sqlite.all<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name <> 'store_meta' ORDER BY name",
  )
  return new Map(tables.map(({ name }) => [name, checksum(sqlite, name)]))
}

function checksum(sqlite: Reader, table: string): string {
  const hash = createHash('sha256')
  for (const row of sqlite.all<Record<string, SqlValue>>(`SELECT * FROM "${table}"`)) {
    for (const value of Object.values(row)) hash.update(value instanceof Uint8Array ? value : `${value};`)
  }
  return hash.digest('hex')
}
