/** What the oracle knows: all transactions of all computers as a tree, and what the objects of a place contain of it. */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import type { ReplicaKey } from '../../../server/operation/replicas/replica-key.ts'
import { decodeFrames, readJournals } from '../../../server/store/journal/journal.ts'
import { Violation } from './rules.ts'

const decompress = promisify(zstdDecompress)

/** The data after a transaction. */
export interface State {
  readonly parent: State | undefined
  /** Number of the transaction. */
  readonly seq: number
  /** In the row that the transaction adds. */
  readonly token: string
  /** The media file that it adds. */
  readonly cid: string | undefined
  /** True time of its end. */
  at: number
  isAcknowledged: boolean
  /** Its writer received an error. */
  isRefused: boolean
}

export class History {
  readonly root: State = {
    ...{ parent: undefined, seq: 0, token: '', cid: undefined },
    ...{ at: 0, isAcknowledged: true, isRefused: false },
  }
  readonly #states = new Map<string, State>()

  add(added: Pick<State, 'parent' | 'token' | 'cid' | 'at'>): State {
    const seq = (added.parent?.seq ?? 0) + 1
    const state = { ...added, seq, isAcknowledged: false, isRefused: false }
    this.#states.set(added.token, state)
    return state
  }

  get(token: string): State | undefined {
    return this.#states.get(token)
  }

  /** Returns the state with these transactions. @throws Violation if there never was one */
  stateOf(tokens: Iterable<string>): State {
    let last = this.root
    let count = 0
    for (const token of tokens) {
      const state = this.#states.get(token)
      if (!state) throw new Violation('restore', `there is a transaction ${token} that was never written`)
      count++
      if (state.seq > last.seq) last = state
    }
    if (count !== last.seq) {
      throw new Violation('restore', `there are ${count} of the ${last.seq} transactions up to ${last.token}`)
    }
    const there = new Set(tokens)
    for (const { token } of pathTo(last)) {
      if (!there.has(token))
        throw new Violation('restore', `transaction ${token} before ${last.token} is lost`)
    }
    return last
  }
}

/** Yields a state and those before it, without the empty one. */
export function* pathTo(state: State): Generator<State> {
  for (let next: State | undefined = state; next?.parent; next = next.parent) yield next
}

export function isOnPath(earlier: State, later: State): boolean {
  let next: State | undefined = later
  while (next && next.seq > earlier.seq) next = next.parent
  return next === earlier
}

export const tokenPattern = /#[0-9a-f]{12};/g

/** What a place has: states that can be restored by a client without faults. */
export interface Truth {
  readonly reachable: ReadonlySet<State>
  /** Those of the highest generation of timelines, which begins with a base of its own. */
  readonly newest: ReadonlySet<State>
  /** Hidden names of the media that are there whole. */
  readonly media: ReadonlySet<string>
}

type Meaning =
  | { readonly kind: 'part'; readonly content: Uint8Array }
  | { readonly kind: 'end'; readonly parts: number; readonly sha256: string }
  | { readonly kind: 'segment'; readonly tokens: readonly string[] }
  | { readonly kind: 'media'; readonly hidden: string; readonly parts: number }
  | { readonly kind: 'other' }

function stateSet(sets: Map<number, Set<State>>, generation: number): Set<State> {
  const set = sets.get(generation) ?? new Set()
  sets.set(generation, set)
  return set
}

/** Returns the generation of the timeline that wrote a base or segment. */
function generationIn(name: string): number {
  return Number(/-(\d+)_[0-9a-f]+$/.exec(name)?.[1])
}

/** Adds the states that continue those that can be reached. */
function follow(reachable: Set<State>, written: Iterable<State>): void {
  for (const state of [...written].sort((a, b) => a.seq - b.seq)) {
    if (state.parent && reachable.has(state.parent)) reachable.add(state)
  }
}

/** Reads what the objects of a place contain. Each object is opened once. */
export class Reader {
  readonly #key: ReplicaKey
  readonly #history: History
  readonly #meanings = new WeakMap<Uint8Array, { readonly name: string; readonly meaning: Meaning }>()
  readonly #bases = new Map<string, State>()

  constructor(key: ReplicaKey, history: History) {
    this.#key = key
    this.#history = history
  }

  async read(objects: ReadonlyMap<string, Uint8Array>): Promise<Truth> {
    const bases = new Map<string, { parts: [string, Uint8Array][]; end?: Meaning & { kind: 'end' } }>()
    const written = new Map<number, Set<State>>()
    const mediaParts = new Map<string, number>()
    const media = new Set<string>()
    for (const [name, bytes] of objects) {
      const meaning = await this.#meaning(name, bytes)
      const folder = name.slice(0, name.lastIndexOf('/'))
      const base = bases.get(folder) ?? { parts: [] }
      if (meaning.kind === 'part') base.parts.push([name, meaning.content])
      if (meaning.kind === 'end') base.end = meaning
      if (meaning.kind === 'part' || meaning.kind === 'end') bases.set(folder, base)
      if (meaning.kind === 'segment') {
        const states = stateSet(written, generationIn(name))
        for (const token of meaning.tokens) states.add(this.#history.get(token) ?? this.#history.root)
      }
      if (meaning.kind === 'media') {
        const count = (mediaParts.get(meaning.hidden) ?? 0) + 1
        mediaParts.set(meaning.hidden, count)
        if (count === meaning.parts) media.add(meaning.hidden)
      }
    }
    const reachable = new Map<number, Set<State>>()
    for (const [folder, { parts, end }] of bases) {
      const state = end && (await this.#baseState(parts, end))
      if (state) stateSet(reachable, generationIn(folder)).add(state)
    }
    for (const [generation, states] of reachable) follow(states, written.get(generation) ?? [])
    const newest = reachable.get(Math.max(...reachable.keys())) ?? new Set()
    return { reachable: new Set([...reachable.values()].flatMap((states) => [...states])), newest, media }
  }

  async #baseState(
    parts: readonly [string, Uint8Array][],
    end: { parts: number; sha256: string },
  ): Promise<State | undefined> {
    if (parts.length !== end.parts) return undefined
    const content = Buffer.concat(parts.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, bytes]) => bytes))
    if (createHash('sha256').update(content).digest('hex') !== end.sha256) return undefined
    const known = this.#bases.get(end.sha256)
    if (known) return known
    const database = (await decompress(content)).toString('latin1')
    const tokens = new Set(database.match(tokenPattern)?.map((text) => text.slice(1, -1)))
    const state = this.#history.stateOf(tokens)
    this.#bases.set(end.sha256, state)
    return state
  }

  async #meaning(name: string, bytes: Uint8Array): Promise<Meaning> {
    const known = this.#meanings.get(bytes)
    if (known?.name === name) return known.meaning
    const meaning = await this.#open(name, bytes)
    this.#meanings.set(bytes, { name, meaning })
    return meaning
  }

  async #open(name: string, bytes: Uint8Array): Promise<Meaning> {
    const content = await this.#key.open(name, bytes).catch(() => undefined)
    if (!content) return { kind: 'other' }
    if (/bases\/[^/]+\/end$/.test(name)) {
      const { parts, sha256 } = JSON.parse(content.toString())
      return { kind: 'end', parts, sha256 }
    }
    if (/bases\/[^/]+\/\d+-\d+$/.test(name)) return { kind: 'part', content }
    const [, hidden, parts] = /^media\/.\/([0-9a-f]+)-\d+-(\d+)-\d+$/.exec(name) ?? []
    if (hidden) return { kind: 'media', hidden, parts: Number(parts) }
    return /segments\/[^/]+$/.test(name) ? this.#segment(content) : { kind: 'other' }
  }

  async #segment(content: Buffer): Promise<Meaning> {
    const tokens: string[] = []
    for (const journal of readJournals(await decompress(content))) {
      for (const { statements } of decodeFrames(journal)) {
        const texts = JSON.stringify(statements.map(([, params]) => params))
        tokens.push(...(texts.match(tokenPattern)?.map((text) => text.slice(1, -1)) ?? []))
      }
    }
    return { kind: 'segment', tokens }
  }
}
