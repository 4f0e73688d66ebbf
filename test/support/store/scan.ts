import type { Reader } from '../../../server/store/database.ts'

/**
 * Finds the values that contain a text in all tables, as `table.column: value`. Blobs are searched as bytes. The event that reports
 * the deletion of an account is left out: it stays for readers of the event stream.
 */
export function mentionsOf(db: Reader, text: string): string[] {
  const tables = db.all<{ name: string }>("SELECT name FROM pragma_table_list WHERE schema = 'main'")
  return tables.flatMap(({ name }) =>
    db
      .all<Record<string, unknown>>(`SELECT * FROM "${name}"`)
      .filter(({ kind, frame }) => !(kind === 'account' && textOf(frame).includes('statusgdeleted')))
      .flatMap((row) => Object.entries(row))
      .filter(([, value]) => textOf(value).includes(text))
      .map(([column, value]) => `${name}.${column}: ${textOf(value)}`),
  )
}

function textOf(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)
}
