/** Collects the steps of a world: resolves names, computes times, and orders the steps. */
import { type Path, type Problem, suggestion } from './errors.ts'
import type { World } from './schema.ts'
import type { Action, Step } from './steps.ts'
import { timeOf } from './times.ts'

/** What others refer to by a name or an id. */
export type Named = 'account' | 'invite code' | 'list' | 'starter pack' | 'post' | 'repost' | 'app password'

/** A reference of an item to another one. */
export interface Need {
  readonly kind: Named
  readonly name: string
  readonly path: Path
}

export interface Entry {
  readonly action: Action
  readonly path: Path
  /** Milliseconds since 1970. */
  readonly at: number
  /** Place among entries of the same time. */
  readonly order: number
  readonly needs: { readonly entry: Entry; readonly path: Path; readonly title: string }[]
}

export interface Details {
  readonly path: Path
  readonly needs?: readonly Need[]
  readonly at?: string | undefined
  readonly until?: string | undefined
  /** The earliest time, if none is given. */
  readonly after?: number | undefined
  /** How others refer to it. */
  readonly as?: { readonly kind: Named; readonly name: string; readonly path: Path } | undefined
}

export class Planner {
  readonly problems: Problem[] = []
  readonly begin: number
  /** The present of the world. */
  readonly end: Date
  readonly #entries: Entry[] = []
  readonly #seen = new Set<string>()
  readonly #named = new Map<Named, Map<string, Entry>>()

  constructor(world: World, end: Date) {
    this.end = end
    const times = timesIn(world, end)
    this.begin = world.start === undefined ? Math.min(end.getTime(), ...times) : timeOf(world.start, end)
  }

  problem(path: Path, reason: string): void {
    this.problems.push({ path, reason })
  }

  find(kind: Named, name: string): Entry | undefined {
    return this.#named.get(kind)?.get(name)
  }

  /** Adds a step, and one that undoes it. Without `at`, it follows all that it refers to. */
  add(action: Action, { path, needs = [], at, until, after = 0, as }: Details): Entry {
    const found = needs.flatMap((need) => this.#resolve(need))
    const time = at === undefined ? NaN : timeOf(at, this.end)
    if (at !== undefined && Number.isNaN(time)) this.problem([...path, 'at'], `there is no date ${at}`)
    const earliest = Math.max(this.begin, after, ...found.map(({ entry }) => entry.at))
    const entry: Entry = {
      ...{ action, path, needs: found, order: this.#entries.length },
      at: Number.isNaN(time) ? earliest : time,
    }
    this.#entries.push(entry)
    if (as) this.#name(as, entry)
    if (at !== undefined) this.#checkRange(entry.at, [...path, 'at'])
    if (until !== undefined) this.#undo(entry, until)
    return entry
  }

  /** Whether this was called before with the same text. */
  isRepeated(what: string): boolean {
    const { size } = this.#seen
    return this.#seen.add(what).size === size
  }

  /** Adds references that could not be resolved before. */
  require(entry: Entry, needs: readonly Need[]): void {
    for (const need of needs) entry.needs.push(...this.#resolve(need))
  }

  /** Returns all steps in the order of time; of the same time, each after those that it refers to. */
  steps(): Step[] {
    for (const entry of this.#entries) this.#checkNeeds(entry)
    const ordered = new Set<Entry>()
    const open = new Set<Entry>()
    const visit = (entry: Entry) => {
      if (ordered.has(entry)) return
      if (open.has(entry)) {
        this.problem(entry.path, 'refers to itself')
        return
      }
      open.add(entry)
      for (const { entry: needed } of entry.needs) if (needed.at === entry.at) visit(needed)
      open.delete(entry)
      ordered.add(entry)
    }
    for (const entry of this.#entries.toSorted(byTime)) visit(entry)
    return [...ordered].map(({ at, path, action }) => ({ at: new Date(at), path, action }))
  }

  #resolve({ kind, name, path }: Need): Entry['needs'] {
    const known = this.#named.get(kind)
    const entry = known?.get(name)
    if (entry) return [{ entry, path, title: `${kind} "${name}"` }]
    this.problem(path, `there is no ${kind} "${name}"${suggestion(name, known?.keys() ?? [])}`)
    return []
  }

  #name({ kind, name, path }: NonNullable<Details['as']>, entry: Entry): void {
    const known = this.#named.get(kind) ?? new Map<string, Entry>()
    this.#named.set(kind, known)
    if (known.has(name)) this.problem(path, `there is another ${kind} "${name}"`)
    else known.set(name, entry)
  }

  #undo(entry: Entry, until: string): void {
    const path = [...entry.path, 'until']
    const at = timeOf(until, this.end)
    this.#checkRange(at, path)
    if (at < entry.at) this.problem(path, `is before the time at which it begins (${show(entry.at)})`)
    this.#entries.push({
      ...{ path, at, order: this.#entries.length },
      action: { kind: 'undo', by: entry.action.by, undoes: entry.action },
      needs: [{ entry, path, title: 'its beginning' }],
    })
  }

  #checkRange(at: number, path: Path): void {
    if (at < this.begin) this.problem(path, `is before the start of the world (${show(this.begin)})`)
    if (at > this.end.getTime())
      this.problem(path, `is after the end of the world (${show(this.end.getTime())})`)
  }

  #checkNeeds(entry: Entry): void {
    if (entry.action.kind === 'undo' || entry.at < this.begin) return
    for (const { entry: needed, path, title } of entry.needs) {
      const isSameKind = needed.action.kind === entry.action.kind
      const isLater = needed.at > entry.at || (isSameKind && byTime(needed, entry) > 0)
      if (isLater) this.problem(path, `${title} is later (${show(needed.at)}) than this (${show(entry.at)})`)
    }
  }
}

function byTime(one: Entry, other: Entry): number {
  return one.at - other.at || one.order - other.order
}

function show(at: number): string {
  return new Date(at).toISOString()
}

/** All times in a world. */
function timesIn(world: World, end: Date): number[] {
  const times: number[] = []
  const collect = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, member] of Object.entries(value)) {
      if (typeof member === 'string' && name === 'at') times.push(timeOf(member, end))
      else collect(member)
    }
  }
  collect(world)
  return times.filter((at) => !Number.isNaN(at))
}

/** Returns the latest absolute time of a world; undefined if it has none. */
export function latestDate(world: World): Date | undefined {
  const never = new Date(Number.NaN)
  const dates = timesIn(world, never)
  return dates.length === 0 ? undefined : new Date(Math.max(...dates))
}
