/** An account, and what must be true of it. */
import type { Request } from '../acts/send-writes.ts'
import type { Notified } from '../oracles/notified.ts'
import type { Machine } from '../world/machine.ts'
import type { History } from './history.ts'
import type { Upload } from './media.ts'
import type { Settings } from './settings.ts'

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
  /** Which changes of them were made, and which may have been. */
  readonly history: History
  /** Files that were uploaded, by CID. */
  readonly uploads: Map<string, Upload>
  readonly settings: Settings
  /** The notifications that each record has caused, by its URI. */
  notified: ReadonlyMap<string, Notified>
  /** The last request whose answer was lost. */
  lost?: Request | undefined
}

export interface Stored {
  readonly cid: string
  readonly value: object
}
