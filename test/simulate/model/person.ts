/** An account, and what must be true of it. */
import type { Machine } from '../world/machine.ts'

export interface Person {
  readonly name: string
  readonly did: string
  readonly handle: string
  machine: Machine
  password: string
  access: string
  refresh: string
  /** The records that exist, by `collection/rkey`. */
  readonly records: Map<string, Stored>
  /** Changes whose answer was lost: each was made or was not. */
  readonly unknown: Change[]
}

export interface Stored {
  readonly cid: string
  readonly value: object
}

/** A change of a record. */
export interface Change {
  /** `collection/rkey` */
  readonly path: string
  /** Undefined for a deletion. */
  readonly value: object | undefined
}
