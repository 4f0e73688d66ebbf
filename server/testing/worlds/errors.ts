/** The errors in a world: where, and the reason. */
export type Path = readonly (string | number)[]

export interface Problem {
  readonly path: Path
  readonly reason: string
}

/** Positions in the file that a world was read from. */
export interface Source {
  /** File name, as the reader gave it. */
  readonly file: string
  /** Returns the line of a value, or of the nearest value that contains it. */
  lineOf(path: Path): number
}

const mostLines = 20

/** A world has errors, or a server has refused a part of it. The message has a line for each. */
export class WorldError extends Error {
  override readonly name = 'WorldError'
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[], source?: Source, options?: ErrorOptions) {
    const lines = problems.slice(0, mostLines).map((problem) => lineFor(problem, source))
    const more = problems.length - lines.length
    super([...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'), options)
    this.problems = problems
  }
}

/** Sources of worlds that were read from files. */
const sources = new WeakMap<object, Source>()

export function setSource(world: object, source: Source): void {
  sources.set(world, source)
}

export function sourceOf(world: object): Source | undefined {
  return sources.get(world)
}

/** @throws WorldError if there are problems, in the order of the file */
export function throwProblems(world: object, problems: readonly Problem[]): void {
  if (problems.length === 0) return
  const source = sourceOf(world)
  const ordered = source
    ? problems.toSorted((one, other) => source.lineOf(one.path) - source.lineOf(other.path))
    : problems
  throw new WorldError(ordered, source)
}

/** Writes a path as `posts[3].reply`. */
export function formatPath(path: Path): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '')
}

function lineFor({ path, reason }: Problem, source: Source | undefined): string {
  const where = source ? `${source.file}:${source.lineOf(path)}: ` : ''
  return path.length === 0 ? `${where}${reason}` : `${where}${formatPath(path)}: ${reason}`
}

/** Returns `; did you mean "hello"?` for the most similar of the known words; nothing if none is similar. */
export function suggestion(word: string, known: Iterable<string>): string {
  let best: string | undefined
  let least = Math.max(1, Math.floor(word.length / 3)) + 1
  for (const one of known) {
    const edits = distance(word.toLowerCase(), one.toLowerCase())
    if (edits < least) [best, least] = [one, edits]
  }
  return best === undefined ? '' : `; did you mean "${best}"?`
}

/** Number of characters to insert, delete, replace or swap with the next one. */
function distance(one: string, other: string): number {
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1]
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      const edits = [at(row, j) + 1, at(next, j - 1) + 1, at(row, j - 1) + (same ? 0 : 1)]
      next.push(Math.min(...edits, swapped ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY))
    }
    ;[before, row] = [row, next]
  }
  return at(row, other.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? 0
}
