/** The rows of an account, found by the schema: a new table takes part without a change here. */
import type { Reader } from '../../../server/store/database.ts'

interface Column {
  readonly name: string
  readonly type: string
}

interface ForeignKey {
  readonly id: number
  readonly table: string
  readonly from: string
  readonly to: string | null
}

/** Columns that name an account without a foreign key: its DID in text, or its number. */
const accountColumns = /^(did|account|actor|author|repo|owner|for_account|created_by|used_by|\w+_did)$/

export function tablesOf(db: Reader): string[] {
  return db
    .all<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .map(({ name }) => name)
}

export function columnsOf(db: Reader, table: string): Column[] {
  return db.all<Column>(`SELECT name, type FROM pragma_table_info('${table}')`)
}

/**
 * Returns, for each table that can refer to an account, the SQL condition of the rows that belong to this one: they name it in a
 * column, or a foreign key leads to such a row.
 */
function conditionsOf(db: Reader, account: { id: number; did: string }): Map<string, string> {
  const conditions = new Map<string, string>()
  const visit = (table: string): string => {
    const known = conditions.get(table)
    if (known !== undefined) return known
    const named = columnsOf(db, table)
      .filter(({ name }) => accountColumns.test(name))
      .map(({ name, type }) => `${name} = ${type === 'TEXT' ? `'${account.did}'` : account.id}`)
    const inherited = foreignKeysOf(db, table).map(({ parent, from, to }) => {
      const condition = visit(parent)
      return condition && `(${from}) IN (SELECT ${to} FROM ${parent} WHERE ${condition})`
    })
    const own = table === 'actors' || table === 'accounts' ? [`id = ${account.id}`] : []
    const all = [...own, ...named, ...inherited].filter((condition) => condition !== '')
    conditions.set(table, all.join(' OR '))
    return all.join(' OR ')
  }
  for (const table of tablesOf(db)) visit(table)
  return new Map([...conditions].filter(([, condition]) => condition !== ''))
}

/** Counts the rows that belong to an account, in each table that can have some. */
export function countRows(db: Reader, account: { id: number; did: string }): Record<string, number> {
  const counts = [...conditionsOf(db, account)].map(([table, condition]) => {
    const row = db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table} WHERE ${condition}`)
    return [table, row?.n ?? 0] as const
  })
  return Object.fromEntries(counts)
}

export function idOf(db: Reader, did: string): number {
  const row = db.get<{ id: number }>('SELECT id FROM actors WHERE did = ?', [did])
  if (!row) throw new Error(`${did} has no actor`)
  return row.id
}

export function foreignKeysOf(db: Reader, table: string): { parent: string; from: string; to: string }[] {
  const parts = db.all<ForeignKey>(
    `SELECT id, "table", "from", "to" FROM pragma_foreign_key_list('${table}') ORDER BY id, seq`,
  )
  return [...Map.groupBy(parts, ({ id }) => id).values()].flatMap((columns) => {
    const parent = columns[0]?.table
    if (parent === undefined) return []
    const from = columns.map((column) => column.from).join(', ')
    return [{ parent, from, to: columns.map(({ to }) => to ?? 'id').join(', ') }]
  })
}
