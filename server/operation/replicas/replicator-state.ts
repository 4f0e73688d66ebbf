/** The dependencies, the position and the state of the replicator of a place. */
import type { Database } from '../../store/database.ts'
import type { Files } from '../../store/files/files.ts'
import type { JournalTail } from '../../store/journal/tail.ts'
import type { Timeline } from './catalog.ts'
import type { MediaNames } from './media-names.ts'
import type { PlaceProblem } from './places/place.ts'
import type { Target } from './send.ts'
import type { Lost, Timelines } from './timeline.ts'
import type { Unreferenced } from './unreferenced.ts'

export interface ReplicatorDeps extends Target {
  readonly store: Database
  readonly files: Files
  readonly dataDir: string
  readonly now: () => Date
  /** The timeline of this process, which all places share. */
  readonly timelines: Timelines
  /** The names of the media, which all places share. */
  readonly mediaNames: MediaNames
  /** Names files of this place in the data directory. */
  readonly id: string
  /** The state that an earlier run of the server has stored. */
  readonly earlier?: EarlierStatus | undefined
  /** Called when the state has changed. */
  readonly onState: () => void
  /** Called after transactions were copied beside a base. */
  readonly afterStep?: () => Promise<void>
  /** The media at the place that the server has no more. */
  readonly unreferenced?: Pick<Unreferenced, 'seen'>
  /** Whether nothing may be sent or fetched at the moment. */
  readonly isMetered: () => Promise<boolean>
  /** Milliseconds after which transactions are copied beside a base or media. */
  readonly besideMs: number
  /** Aborted when the server stops: requests that fail then are no problem of the place. */
  readonly closing?: AbortSignal
}

export interface Position {
  readonly timeline: Timeline
  readonly tail: JournalTail
  /** The base that the segments continue; undefined while the first one is being sent. */
  readonly base: { readonly at: number; readonly bytes: number } | undefined
  segmentBytes: number
}

/** The state of the replicator of a place. */
export interface ReplicatorState {
  /** Number of the last transaction that can be restored from the place; undefined before the place was read, or without a base. */
  readonly seq: number | undefined
  /** Number of the last transaction whose journal the place needs no more. */
  readonly journalSeq: number | undefined
  /** Number of the last transaction with which the place had everything, with media. */
  readonly wholeSeq: number | undefined
  /** When the place had everything, at last. */
  readonly copiedAt: Date | undefined
  readonly problem: PlaceProblem | undefined
  /** Since when steps have failed. */
  readonly problemSince: Date | undefined
  /** Why no new base can be made, while segments continue the earlier one. */
  readonly baseProblem: PlaceProblem | undefined
  /** Bytes of a base that is being sent. */
  readonly progress: { readonly sent: number; readonly total: number } | undefined
  /** Media files that the place lacks. */
  readonly missingMedia: number
  /** Media files that both this computer and the place lack. */
  readonly missingHere: number
  /** A branch at the place with changes that this disk has lost. */
  readonly lost: Lost | undefined
  /** Whether steps do nothing because the network is metered. */
  readonly isPaused: boolean
}

/** The state of a place that an earlier run of the server has stored. */
export interface EarlierStatus {
  readonly copiedAt: Date | undefined
  /** When the problem began that it had at the end. */
  readonly problemSince: Date | undefined
}
