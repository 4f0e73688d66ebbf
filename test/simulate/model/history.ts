/** The changes of a repository since it was last read. Of a change whose answer was lost it is unknown whether it was made. */
import { encode } from '@atproto/lex-cbor'
import { type JsonValue, jsonToLex } from '@atproto/lex-json'
import { cborCid } from '../../../server/util/cid.ts'
import type { Stored } from './person.ts'

/** What a change leaves of a record. */
export interface Left {
  readonly collection: string
  /** `collection/rkey`; undefined if the server chose the key, and its answer was lost. */
  readonly path: string | undefined
  /** Undefined after a deletion. */
  readonly stored: Stored | undefined
}

/** One commit, or none. */
interface Attempt {
  readonly isMade: boolean
  readonly left: readonly Left[]
}

export interface Commit {
  readonly cid: string
  readonly rev: string
}

interface OrderedCommit extends Commit {
  /** Its place among the commits of all accounts. */
  readonly order: number
}

let orderCount = 0

export class History {
  #base: ReadonlyMap<string, Stored> = new Map()
  #attempts: Attempt[] = []
  /** Records that may have existed between the last two times that the repository was read. */
  #recent: Left[] = []
  /** The last commits that were acknowledged, the newest one first. */
  readonly commits: OrderedCommit[] = []
  /** Whether no commit can have followed the newest one. */
  isHeadKnown = false

  clone(): History {
    const copy = new History()
    copy.#base = this.#base
    copy.#attempts = [...this.#attempts]
    copy.#recent = [...this.#recent]
    copy.commits.push(...this.commits)
    copy.isHeadKnown = this.isHeadKnown
    return copy
  }

  made(left: readonly Left[], commit: Commit | undefined): void {
    this.#attempts.push({ isMade: true, left })
    if (!commit) return
    this.commits.unshift({ ...commit, order: orderCount++ })
    this.isHeadKnown = true
  }

  lost(left: readonly Left[]): void {
    this.#attempts.push({ isMade: false, left })
    this.isHeadKnown = false
  }

  /** Notes that the last change, whose answer was lost, was made. @returns its record */
  confirm(): Stored | undefined {
    const last = this.#attempts.pop()
    if (last) this.#attempts.push({ ...last, isMade: true })
    return last?.left[0]?.stored
  }

  /** Whether the answer of every change is known. */
  get isCertain(): boolean {
    return this.#attempts.every(({ isMade }) => isMade)
  }

  /** Returns the CIDs that a record may have now; undefined among them if it may be missing. */
  possible(path: string): Set<string | undefined> {
    const cids = new Set<string | undefined>()
    for (const { isMade, left } of this.#attempts.toReversed()) {
      const own = left.findLast((one) => one.path === path)
      if (!own) continue
      cids.add(own.stored?.cid)
      if (isMade) return cids
    }
    return cids.add(this.#base.get(path)?.cid)
  }

  /** Returns records that may exist although no answer said so. */
  uncertain(collection: string): object[] {
    return this.#attempts
      .filter(({ isMade }) => !isMade)
      .flatMap(({ left }) => left.filter((one) => one.collection === collection))
      .flatMap(({ stored }) => stored?.value ?? [])
  }

  /** Returns records that may have existed at some time between the last two times that the repository was read. */
  recent(collection: string): Stored[] {
    return this.#recent.filter((left) => left.collection === collection).flatMap(({ stored }) => stored ?? [])
  }

  /** Whether a record is known to have been deleted since the repository was read the last time but one. */
  wasDeleted(path: string): boolean {
    const later = this.#attempts.findLast(({ left }) => left.some((one) => one.path === path))
    const left = later ? later.left : this.#recent
    const isDeleted = left.findLast((one) => one.path === path)?.stored === undefined
    const isKnown = later ? later.isMade : left.some((one) => one.path === path) && !this.#base.has(path)
    return isKnown && isDeleted
  }

  /** Whether a record had only one version between the last two times that the repository was read. */
  isNew(path: string): boolean {
    return this.#recent.filter((left) => left.path === path).length === 1
  }

  /**
   * Decides which of the changes were made, by the records that a repository has.
   * @param found CIDs by path
   * @returns its records, or what cannot be
   */
  settle(found: ReadonlyMap<string, string>): Map<string, Stored> | string {
    const truth = this.explain(found)
    if (typeof truth === 'string') return truth
    const before = [...this.#base].map(([path, stored]) => ({ path, stored, collection: collectionOf(path) }))
    this.#recent = [...before, ...this.#attempts.flatMap(({ left }) => left)]
    this.#base = new Map(truth)
    this.#attempts = []
    return truth
  }

  /** As `settle`, without noting it. */
  explain(found: ReadonlyMap<string, string>): Map<string, Stored> | string {
    const truth = new Map<string, Stored>()
    const explained = new Set<string>()
    const explain = (path: string, stored: Stored | undefined) => {
      explained.add(path)
      if (stored) truth.set(path, stored)
    }
    const known = new Set(this.#attempts.flatMap(({ left }) => left.map(({ path }) => path)))
    const isNew = (path: string) => !explained.has(path) && !known.has(path) && !this.#base.has(path)
    for (const { isMade, left } of this.#attempts.toReversed()) {
      const taken = new Set<string>()
      const open = left.map((one) => {
        const path = one.path ?? pathOf(found, one, (other) => isNew(other) && !taken.has(other))
        if (path !== undefined) taken.add(path)
        return { path, stored: one.stored }
      })
      const wrong = open.find(
        ({ path, stored }) => !path || (!explained.has(path) && found.get(path) !== stored?.cid),
      )
      if (wrong && isMade) return `lost the change of ${wrong.path}, which was acknowledged`
      if (wrong) continue
      // Of two changes of a record in one commit, the last one counts.
      for (const { path, stored } of open.toReversed())
        if (path !== undefined && !explained.has(path)) explain(path, stored)
    }
    for (const [path, stored] of this.#base) {
      if (explained.has(path)) continue
      if (found.get(path) !== stored.cid) return `lost ${path}, which was acknowledged`
      explain(path, stored)
    }
    for (const path of found.keys())
      if (!truth.has(path)) return `has ${path}, which was deleted or never written`
    return truth
  }
}

const collectionOf = (path: string) => path.slice(0, path.indexOf('/'))

/** Finds a record whose key the server chose. */
function pathOf(
  found: ReadonlyMap<string, string>,
  { collection, stored }: Left,
  isFree: (path: string) => boolean,
): string | undefined {
  for (const [path, cid] of found)
    if (cid === stored?.cid && path.startsWith(`${collection}/`) && isFree(path)) return path
  return undefined
}

/** Returns a record as it is stored. */
export function storedOf(value: object): Stored {
  return { value, cid: cborCid(encode(jsonToLex(value as JsonValue))) }
}
