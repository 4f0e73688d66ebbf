/**
 * Copies the rows of a database with damaged pages into a new one: all rows of the intact parts of its tables, and rows of which an index
 * has all columns. Indexes are made anew, and nothing of the free pages is needed.
 */
import { StoreDamaged } from '../errors.ts'
import { type Files, replaceByChunks } from '../files.ts'
import { newestVersion, type Schema } from '../migrate.ts'
import { putPages } from '../pages/checkpoint.ts'
import {
  closeFile,
  createSqlite,
  type OpenedFile,
  openPageFile,
  schemaVersion,
  setSeq,
} from '../pages/database-file.ts'
import { PageFile } from '../pages/page-file.ts'
import { type PageOverlay, recycle } from '../pages/page-overlay.ts'
import { Sqlite, type SqlValue } from '../sqlite.ts'
import { intactParts, type Tree } from './salvage-trees.ts'

/** Rows of a table that are lost. */
export interface LostRows {
  readonly table: string
  /** Undefined: no index says how many. */
  readonly rows: number | undefined
  /** Rows that come from an index, with the default values of columns that it lacks. */
  readonly incomplete: number
}

type LostMap = Map<string, Omit<LostRows, 'table'>>

interface Table {
  readonly name: string
  readonly sql: string
  readonly isByRowid: boolean
  /** Keeps SQLite from reading another tree instead. */
  readonly hint: string
  /** Names of the stored columns, with `rowid` unless a column has it. */
  readonly columns: readonly string[]
  /** Columns without a default value. */
  readonly required: readonly string[]
}

/** An index that has an entry for each row. */
interface Index {
  readonly name: string
  /** Names of the stored columns that it has. */
  readonly columns: readonly string[]
}

/** Rows and bytes per transaction. */
const [maxRows, maxBytes] = [2000, 4 * 1024 * 1024]
/** More numbers than AUTOINCREMENT has given to rows that were deleted. */
const skipped = 1_000_000
/** Changed pages that are kept in memory: 32 MiB. */
const maxChanges = 8192

/** Copies a database as its overlay shows it. Changes the overlay. @throws StoreDamaged if its schema is damaged */
export async function copyRows(
  files: Files,
  path: string,
  { overlay, seq }: Pick<OpenedFile, 'overlay' | 'seq'>,
  schema: Schema,
): Promise<{ readonly copy: OpenedFile; readonly lost: readonly LostRows[] }> {
  const copy = await createCopy(files, path)
  const { sqlite } = copy
  // It has no cache of pages that `intactParts` changes.
  const source = await Sqlite.open(overlay)
  try {
    const lost = await copyTables(files, source, overlay, copy)
    const others = source.all<{ sql: string }>(
      "SELECT sql FROM sqlite_schema WHERE type <> 'table' AND sql IS NOT NULL ORDER BY rowid",
    )
    for (const { sql } of others) sqlite.exec(sql)
    const version = schemaVersion(source)
    if (lost.length > 0 && version === newestVersion(schema)) sqlite.exec(schema.derived ?? '')
    sqlite.exec(`PRAGMA user_version = ${version}; PRAGMA foreign_keys = ON`)
    sqlite.forget()
    setSeq(sqlite, seq)
    await putChanges(files, copy)
    return { copy: { ...copy, seq }, lost }
  } catch (error) {
    await closeFile(copy)
    throw error
  } finally {
    source.close()
  }
}

async function createCopy(files: Files, path: string): Promise<OpenedFile> {
  const empty = await createSqlite()
  await replaceByChunks(files, path, empty.chunks())
  empty.close()
  const copy = await openPageFile(await PageFile.open(files, path), 'quick')
  copy.sqlite.exec('PRAGMA foreign_keys = OFF')
  return copy
}

/** Puts the changed pages in the file. */
async function putChanges(files: Files, { overlay, file }: OpenedFile): Promise<void> {
  const pages = overlay.takeChanges()
  await putPages(files, file.path, pages)
  recycle(pages)
}

async function copyTables(
  files: Files,
  source: Sqlite,
  overlay: PageOverlay,
  copy: OpenedFile,
): Promise<LostRows[]> {
  const tables = tablesOf(source)
  const { trees, parts } = partsOf(source, overlay, tables)
  const isIntact = (name: string) => parts.get(name)?.join() === `${trees.get(name)?.root}`
  const lost: LostMap = new Map()
  for (const table of tables) {
    copy.sqlite.exec(table.sql)
    /** Rows whose overflow pages are damaged. */
    let unreadable = 0
    for (const part of parts.get(table.name) ?? []) {
      if (!isIntact(table.name)) setRoot(source, table.name, part)
      await insertRows(
        files,
        copy,
        table,
        table.columns,
        rowsOf(source, table, () => unreadable++),
      )
    }
    if (isIntact(table.name) && unreadable === 0) continue
    const indexes = indexesOf(source, table).filter(({ name }) => isIntact(name))
    const [index] = indexes
    const entries = index && countRows(source, `${quoted(table.name)} INDEXED BY ${quoted(index.name)}`)
    let incomplete = 0
    const kept = () => countRows(copy.sqlite, quoted(table.name))
    for (const { name, columns } of indexes) {
      const before = kept()
      if (table.required.some((column) => !columns.includes(column))) continue
      const sql = `SELECT ${columns.map(quoted)} FROM ${quoted(table.name)} INDEXED BY ${quoted(name)}`
      await insertRows(files, copy, table, columns, intactRows(source.each(sql)))
      if (columns.length < table.columns.length) incomplete += kept() - before
    }
    const expected = entries ?? (isIntact(table.name) ? kept() + unreadable : undefined)
    const rows = expected === undefined ? undefined : expected - kept()
    if (rows !== 0 || incomplete > 0) lost.set(table.name, { rows, incomplete })
  }
  copySequences(source, copy.sqlite)
  if (lost.size > 0) removeDangling(copy.sqlite, lost)
  return [...lost].map(([table, counts]) => ({ table, ...counts }))
}

/** Keeps the numbers that AUTOINCREMENT has given. */
function copySequences(source: Sqlite, copy: Sqlite): void {
  if (!source.get("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'")) return
  const skip = () => copy.exec(`UPDATE sqlite_sequence SET seq = seq + ${skipped}`)
  for (const row of intactRows(source.each('SELECT name, seq FROM sqlite_sequence'), skip)) {
    copy.execute('DELETE FROM sqlite_sequence WHERE name = ?', row.slice(0, 1))
    copy.execute('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', row)
  }
}

/** Finds the parts of all trees, by the name of the table or index. */
function partsOf(source: Sqlite, overlay: PageOverlay, tables: readonly Table[]) {
  const trees = new Map<string, Tree>([['sqlite_schema', { root: 1, kind: 'rowid' }]])
  for (const { name, type, rootpage } of source.all<{ name: string; type: string; rootpage: number }>(
    'SELECT name, type, rootpage FROM sqlite_schema WHERE rootpage > 0',
  )) {
    const isByKeys = type === 'index' || tables.some((table) => table.name === name && !table.isByRowid)
    trees.set(name, { root: rootpage, kind: isByKeys ? 'keys' : 'rowid' })
  }
  const found = intactParts(overlay, [...trees.values()])
  return { trees, parts: new Map([...trees].map(([name, tree]) => [name, found.get(tree)])) }
}

function tablesOf(source: Sqlite): Table[] {
  const tables = source.all<Pick<Table, 'name' | 'sql'>>(
    `SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'store_meta'
     ORDER BY rowid`,
  )
  return tables.map(({ name, sql }) => {
    const columns = source.all<{ name: string; type: string; pk: number; dflt_value: string | null }>(
      'SELECT name, type, pk, dflt_value FROM pragma_table_info(?)',
      [name],
    )
    const isByRowid = source.get<{ wr: number }>('SELECT wr FROM pragma_table_list(?)', [name])?.wr === 0
    const primary = source.get<{ name: string }>(
      "SELECT name FROM pragma_index_list(?) WHERE origin = 'pk'",
      [name],
    )
    const key = columns.filter(({ pk }) => pk > 0)
    const hasName = key.length === 1 && key[0]?.type.toUpperCase() === 'INTEGER'
    const rowid = isByRowid && !hasName ? ['rowid'] : []
    const required = columns.filter(({ dflt_value }) => dflt_value === null)
    return {
      ...{ name, sql, isByRowid },
      hint: isByRowid ? 'NOT INDEXED' : `INDEXED BY ${quoted(primary?.name ?? '')}`,
      columns: [...rowid, ...columns.map((column) => column.name)],
      required: [...rowid, ...required.map((column) => column.name)],
    }
  })
}

function indexesOf(source: Sqlite, { name, columns }: Table): Index[] {
  const rowid = columns.includes('rowid') ? 'rowid' : columns[0]
  const indexes = source.all<{ name: string }>('SELECT name FROM pragma_index_list(?) WHERE partial = 0', [
    name,
  ])
  return indexes.map((index) => {
    const entries = source.all<{ cid: number; name: string | null }>(
      'SELECT cid, name FROM pragma_index_xinfo(?)',
      [index.name],
    )
    const names = entries.map((entry) => (entry.cid === -1 ? rowid : entry.name))
    return { name: index.name, columns: columns.filter((column) => names.includes(column)) }
  })
}

function setRoot(source: Sqlite, table: string, page: number): void {
  source.exec(
    `PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = ${page} WHERE name = '${table.replaceAll("'", "''")}';
     PRAGMA writable_schema = RESET`,
  )
}

/** Yields the rows of a table, without those of which an overflow page is damaged. */
function* rowsOf(source: Sqlite, { name, columns, hint }: Table, onUnreadable: () => void) {
  const from = `${quoted(name)} ${hint}`
  const count = countRows(source, from)
  // A look-up by key would compare the keys of damaged rows.
  for (let offset = 0; offset < count; offset++) {
    const rows = source.each(`SELECT ${columns.map(quoted)} FROM ${from} LIMIT -1 OFFSET ${offset}`)
    for (const row of intactRows(rows, onUnreadable)) {
      offset++
      yield row
    }
  }
}

/** Yields rows up to the first that needs a damaged page. */
function* intactRows(rows: Iterable<SqlValue[]>, onDamage?: () => void): Generator<SqlValue[]> {
  try {
    for (const row of rows) yield row
  } catch (error) {
    if (!(error instanceof StoreDamaged)) throw error
    onDamage?.()
  }
}

/** Inserts rows that are not there yet. */
async function insertRows(
  files: Files,
  copy: OpenedFile,
  { name }: Table,
  columns: readonly string[],
  rows: Iterable<SqlValue[]>,
): Promise<void> {
  const values = columns.map(() => '?')
  const sql = `INSERT OR IGNORE INTO ${quoted(name)} (${columns.map(quoted)}) VALUES (${values})`
  let batch: [string, SqlValue[]][] = []
  let bytes = 0
  const insert = async () => {
    copy.sqlite.replay([batch], 1)
    batch = []
    bytes = 0
    if (copy.overlay.changes >= maxChanges) await putChanges(files, copy)
  }
  for (const row of rows) {
    batch.push([sql, row])
    for (const value of row) bytes += typeof value === 'object' ? (value?.length ?? 0) : String(value).length
    if (batch.length >= maxRows || bytes >= maxBytes) await insert()
  }
  await insert()
}

function countRows(sqlite: Sqlite, from: string): number {
  // For `count(*)`, SQLite chooses the index itself.
  return sqlite.get<{ count: number }>(`SELECT total(1) AS count FROM ${from}`)?.count ?? 0
}

/** Deletes the rows that refer to lost ones, and adds them to `lost`. */
function removeDangling(sqlite: Sqlite, lost: LostMap): void {
  for (;;) {
    const broken = sqlite.all<{ name: string }>(
      'SELECT DISTINCT "table" AS name FROM pragma_foreign_key_check',
    )
    if (broken.length === 0) return
    for (const { name } of broken) {
      let count = 0
      for (const condition of danglingConditions(sqlite, name))
        count += sqlite.execute(`DELETE FROM ${quoted(name)} WHERE ${condition}`).changes
      const { rows, incomplete } = lost.get(name) ?? { rows: 0, incomplete: 0 }
      lost.set(name, { rows: rows === undefined ? undefined : rows + count, incomplete })
    }
  }
}

/** Returns a condition for each foreign key of a table: that a row refers to a missing one. */
function danglingConditions(sqlite: Sqlite, name: string): string[] {
  const rows = sqlite.all<{ id: number; parent: string; from: string; to: string }>(
    `SELECT id, "table" AS parent, "from",
       coalesce("to", (SELECT name FROM pragma_table_info(f."table") WHERE pk = f.seq + 1)) AS "to"
     FROM pragma_foreign_key_list(?) f`,
    [name],
  )
  return [...Map.groupBy(rows, ({ id }) => id).values()].map((columns) => {
    const isSet = columns.map(({ from }) => `${quoted(from)} IS NOT NULL`).join(' AND ')
    const isParent = columns.map(({ from, to }) => `p.${quoted(to)} = ${quoted(name)}.${quoted(from)}`)
    const parent = quoted(columns[0]?.parent ?? '')
    return `${isSet} AND NOT EXISTS (SELECT 1 FROM ${parent} p WHERE ${isParent.join(' AND ')})`
  })
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
