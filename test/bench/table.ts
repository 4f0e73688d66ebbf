/** Prints measurements as tables. */

/** One row; the column without a name is its title. */
export type Row = Record<string, string | number>

export function table(title: string, rows: readonly Row[]): void {
  console.log(`\n${title}`)
  const shown = rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([key, value]) => [key, rounded(value)])),
  )
  console.table(Object.fromEntries(shown.map(({ '': name, ...cells }) => [name, cells])))
}

function rounded(value: string | number): string | number {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toFixed(2)) : value
}
