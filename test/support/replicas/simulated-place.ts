/** A place in memory that fails, lies and forgets as asked. What it truly has is in `objects`. */
import { type Entry, type Place, PlaceProblem } from '../../../server/operation/replicas/places/place.ts'
import type { Random } from './random.ts'

export const moods = [
  /** Everything works. */
  'well',
  /** Operations fail and do nothing. */
  'fails before',
  /** Operations do their work and fail. */
  'fails after',
  /** It takes no object above a size. */
  'full',
  /** It takes some objects in a step, and fails for all others. */
  'tires',
  /** It says that it has stored an object, and has none or half of it, as its listing shows. */
  'lies',
  /** Listings lack entries, or everything. */
  'lists less',
  /** Objects arrive damaged, cut, not at all, or in an older version. */
  'reads wrong',
  'slow',
] as const

export interface Mood {
  readonly kind: (typeof moods)[number]
  /** How many operations it concerns. */
  readonly share: number
  /** Bytes of the largest object that a full place takes, or objects until it tires. */
  readonly limit: number
}

export const well: Mood = { kind: 'well', share: 0, limit: 0 }

type Objects = Map<string, Uint8Array>

export class SimulatedPlace {
  objects: Objects = new Map()
  mood: Mood = well
  /** Called before each operation. */
  onOperation: () => void = () => {}
  /** Called when time passes. */
  onSlow: () => void = () => {}
  /** Listings and objects of this step that were not as they are. */
  wrongReads = 0
  /** Objects of this step that are not as the place said. */
  lies = 0
  readonly #random: Random
  readonly #older = new Map<string, Uint8Array>()
  /** Objects that it was to store in this step. */
  #puts = 0

  constructor(random: Random) {
    this.#random = random
  }

  beginStep(): void {
    this.#puts = 0
    this.wrongReads = 0
    this.lies = 0
  }

  /** The place as a computer sees it. @param isOnline whether the computer can reach it */
  connect(isOnline: () => boolean): Place {
    const attempt = async <T>(work: () => T): Promise<T> => {
      await Promise.resolve()
      this.onOperation()
      if (!isOnline()) throw unreachable()
      return this.#attempt(work)
    }
    return {
      list: (folder) => attempt(() => this.#list(folder)),
      get: (name) => attempt(() => this.#get(name)),
      size: (name) => attempt(() => this.#size(name)),
      put: (name, bytes) => attempt(() => this.#put(name, Uint8Array.from(bytes))),
      remove: (name) => attempt(() => this.#remove(name)),
    } as Place
  }

  names(): string[] {
    return [...this.objects.keys()].sort()
  }

  /** Flips a bit of an object. */
  rot(name: string, at: number): void {
    const bytes = this.objects.get(name)
    if (bytes) this.objects.set(name, flipped(bytes, at))
  }

  lose(name: string): void {
    this.objects.delete(name)
  }

  #attempt<T>(work: () => T): T {
    const { kind, share } = this.mood
    const isHit = this.#random.chance(share)
    if (kind === 'fails before' && isHit) throw unreachable()
    if (kind === 'slow') this.onSlow()
    const result = work()
    if (kind === 'fails after' && isHit) throw unreachable()
    return result
  }

  #isHit(kind: Mood['kind']): boolean {
    return this.mood.kind === kind && this.#random.chance(this.mood.share)
  }

  #list(folder: string): Entry[] {
    const prefix = folder === '' ? '' : `${folder}/`
    const found = new Map<string, number | undefined>()
    for (const [path, { length }] of this.objects) {
      if (!path.startsWith(prefix)) continue
      const [name = '', rest] = path.slice(prefix.length).split('/')
      found.set(name, rest === undefined ? length : undefined)
    }
    const entries = [...found].map(([name, bytes]) => ({ name, bytes }))
    if (entries.length === 0 || !this.#isHit('lists less')) return entries
    const kept = this.#random.chance(0.5) ? [] : entries.filter(() => this.#random.chance(0.5))
    if (kept.length < entries.length) this.wrongReads++
    return kept
  }

  #get(name: string): Uint8Array | undefined {
    const bytes = this.objects.get(name)
    if (!bytes || !this.#isHit('reads wrong')) return bytes
    this.wrongReads++
    switch (this.#random.below(4)) {
      case 0:
        return flipped(bytes, this.#random.next())
      case 1:
        return bytes.subarray(0, this.#random.below(bytes.length))
      case 2:
        return undefined
      default:
        return this.#older.get(name)
    }
  }

  #size(name: string): number | undefined {
    return this.objects.get(name)?.length
  }

  #put(name: string, bytes: Uint8Array): void {
    const { kind, limit } = this.mood
    if (kind === 'full' && bytes.length > limit) throw new PlaceProblem('full', 'There is no space left.')
    if (kind === 'tires' && ++this.#puts > limit) throw unreachable()
    const older = this.objects.get(name)
    if (older) this.#older.set(name, older)
    if (!this.#isHit('lies')) {
      this.objects.set(name, bytes)
      return
    }
    this.lies++
    if (this.#random.chance(0.5)) this.objects.set(name, bytes.subarray(0, bytes.length >> 1))
  }

  #remove(name: string): void {
    for (const path of this.names()) {
      if (path === name || path.startsWith(`${name}/`)) this.objects.delete(path)
    }
  }
}

function unreachable(): PlaceProblem {
  return new PlaceProblem('unreachable', 'There is no answer.')
}

/** @param at share of the bytes before the flipped bit */
export function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const copy = Uint8Array.from(bytes)
  const bit = Math.min(Math.floor(at * copy.length * 8), copy.length * 8 - 1)
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7))
  return copy
}
