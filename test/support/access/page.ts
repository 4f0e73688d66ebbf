/** Writes the pages of the access tests: methods with the same answers share a table. */

/** Answers by row and column, such as token and header. */
export type Matrix = ReadonlyMap<string, ReadonlyMap<string, string>>

/**
 * Returns a page.
 * @param matrices by method
 * @param corner the heading of the rows
 */
export function accessPage(intro: string, corner: string, matrices: ReadonlyMap<string, Matrix>): string {
  const groups = new Map<string, string[]>()
  for (const [method, matrix] of matrices) {
    const table = tableOf(corner, matrix)
    groups.set(table, [...(groups.get(table) ?? []), method])
  }
  const sections = [...groups].map(
    ([table, methods]) => `## ${titleOf(methods)}\n\n${namesOf(methods)}\n\n${table}\n`,
  )
  return `${intro}\n\n${sections.join('\n')}`
}

function titleOf([first = '', ...more]: readonly string[]): string {
  return more.length === 0 ? first : `${first} and ${more.length} more`
}

/** Names the methods by namespace: ``com.core.sync`: getBlob, getRepo`. */
function namesOf(methods: readonly string[]): string {
  const spaces = new Map<string, string[]>()
  for (const method of methods) {
    const [, space = '', name = ''] = /^([a-z]+\.[a-z]+\.[a-z]+)\.(.*)$/.exec(method) ?? []
    spaces.set(space, [...(spaces.get(space) ?? []), name])
  }
  return [...spaces].map(([space, names]) => `- \`${space}\`: ${names.join(', ')}`).join('\n')
}

/** Rows with the same cells are one row. */
function tableOf(corner: string, matrix: Matrix): string {
  const columns = [...new Set([...matrix.values()].flatMap((cells) => [...cells.keys()]))]
  const rows = new Map<string, string[]>()
  for (const [row, cells] of matrix) {
    const text = columns.map((column) => cells.get(column) ?? '').join(' | ')
    rows.set(text, [...(rows.get(text) ?? []), row])
  }
  const lines = [...rows].map(([text, names]) => `| ${short(names, [...matrix.keys()])} | ${text} |`)
  const ruler = `|${' --- |'.repeat(columns.length + 1)}`
  return [`| ${corner} | ${columns.join(' | ')} |`, ruler, ...lines].join('\n')
}

/** Names `app: a`, `app: b` as `app: a, b`, and as `app: all` if there are no others. */
function short(names: readonly string[], all: readonly string[]): string {
  const familyOf = (name: string) => /^(.*?): /.exec(name)?.[1] ?? ''
  return [...Map.groupBy(names, familyOf)]
    .flatMap(([family, members]) => {
      if (family === '') return members
      const isWhole = members.length === all.filter((name) => familyOf(name) === family).length
      const ends = members.map((name) => name.slice(family.length + 2))
      return [`${family}: ${isWhole ? 'all' : ends.join(', ')}`]
    })
    .join('; ')
}

/** Returns answers in one cell: `yes`, or each answer with its callers, the most frequent as `else`. */
export function summary(answers: ReadonlyMap<string, string>): string {
  const callers = new Map<string, string[]>()
  for (const [caller, answer] of answers) callers.set(answer, [...(callers.get(answer) ?? []), caller])
  const sorted = [...callers].toSorted(([, one], [, other]) => one.length - other.length)
  return sorted
    .map(([answer, who], index) => (index === sorted.length - 1 ? answer : `${answer}: ${who.join(', ')}`))
    .join('; else ')
}
