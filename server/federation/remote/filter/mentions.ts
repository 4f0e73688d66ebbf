/** Searches bytes for the DIDs of accounts here. Sources ask for every event, before they verify one. */
import type { Database } from '../../../store/database.ts'
import { allDids } from '../../../store/tables/accounts.ts'

export interface Mentions {
  isLocal(did: string): boolean
  /**
   * Whether bytes, such as the blocks of a commit, contain the DID of an account here. Sometimes true without one: bytes that take long to
   * search count as a mention, to be complete. Anyone can mention an account, so the sender is checked all the same.
   */
  mentionsLocal(bytes: Uint8Array): boolean
}

interface Accounts {
  /** Version of the table. */
  readonly version: number
  readonly dids: ReadonlySet<string>
  /** The DIDs by a hash of so many of their first bytes. */
  readonly starts: readonly Hashed<readonly Hashed<readonly Buffer[]>[]>[]
}

/** Values by a hash of bytes. */
interface Hashed<Value> {
  readonly length: number
  readonly byHash: ReadonlyMap<number, Value>
}

/** Bytes of a DID that are looked up at once: `did:plc:` and eight more. */
const maxStart = 16
/** Bytes in which `did:` is searched for. In more, many a `d` would take long, and colons are searched for. */
const maxShort = 64_000
/** Colons of a longer text that are looked at, within a few milliseconds. Random bytes of 2 MB have 8000. */
const maxColons = 20_000

/** The accounts are in memory. */
export function createMentions(store: Database): Mentions {
  let known: Accounts | undefined

  function accounts(): Accounts {
    const version = store.version('accounts')
    if (known?.version !== version) {
      const dids = new Set<string>(allDids(store))
      known = { version, dids, starts: startsOf(dids) }
    }
    return known
  }

  return {
    isLocal: (did) => accounts().dids.has(did),
    mentionsLocal(bytes) {
      const { starts } = accounts()
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      for (const at of didsIn(text)) {
        if (at === undefined) return true
        // The end of the DID cannot be seen: the next byte of DAG-CBOR may be a letter.
        for (const { length, byHash } of starts)
          for (const whole of byHash.get(hashOf(text, at, length)) ?? [])
            if (whole.byHash.get(hashOf(text, at, whole.length))?.some((did) => hasAt(text, at, did)))
              return true
      }
      return false
    },
  }
}

/** DIDs with a shared beginning are looked up whole: a server may have thousands of did:web of one domain. */
function startsOf(dids: Iterable<string>): Accounts['starts'] {
  const bytes = Array.from(dids, (did) => Buffer.from(did, 'latin1'))
  return hashed(bytes, ({ length }) => Math.min(length, maxStart)).map(({ length, byHash }) => ({
    length,
    byHash: new Map(Array.from(byHash, ([hash, own]) => [hash, hashed(own, (did) => did.length)])),
  }))
}

/** Groups DIDs by a length, and by the hash of so many bytes. */
function hashed(dids: readonly Buffer[], lengthOf: (did: Buffer) => number): Hashed<readonly Buffer[]>[] {
  return Array.from(Map.groupBy(dids, lengthOf), ([length, own]) => ({
    length,
    byHash: Map.groupBy(own, (did) => hashOf(did, 0, length)),
  }))
}

/** Returns a hash of the bytes of a DID after its method. */
function hashOf(bytes: Buffer, at: number, length: number): number {
  let hash = 0
  for (let index = 8; index < length; index++) hash = (Math.imul(hash, 31) + (bytes[at + index] ?? 0)) | 0
  return hash
}

/** Yields the offset of each `did:`, and undefined where the search ends early. */
function* didsIn(text: Buffer): Generator<number | undefined, void> {
  if (text.length <= maxShort) {
    for (let at = text.indexOf('did:'); at >= 0; at = text.indexOf('did:', at + 4)) yield at
    return
  }
  let colons = 0
  // 0x3a is a colon, 0x64 a d, and 0x69 an i.
  for (let at = text.indexOf(0x3a); at >= 0; at = text.indexOf(0x3a, at + 1)) {
    if (++colons > maxColons) return yield undefined
    if (text[at - 1] === 0x64 && text[at - 2] === 0x69 && text[at - 3] === 0x64) yield at - 3
  }
}

/** Compares until the first difference, so that all comparisons of a text take a time in proportion to its bytes. */
function hasAt(text: Buffer, at: number, did: Buffer): boolean {
  for (let index = 0; index < did.length; index++) if (text[at + index] !== did[index]) return false
  return true
}
