/** Keeps the copy at one place up to date: a base, then segments, then media. One step at a time; a failed one is repeated later. */
import { join } from 'node:path'
import type { DatabaseCopy } from '../../platform/store/backups/backup.ts'
import { blobCids } from '../../platform/store/backups/backup-blobs.ts'
import type { Database } from '../../platform/store/database.ts'
import type { Files } from '../../platform/store/files.ts'
import { JournalGap, JournalTail } from '../../platform/store/journal/tail.ts'
import { blobsName, copiesName } from '../../platform/store/layout.ts'
import { createSerializer, type Serialize } from '../../platform/util/serialize.ts'
import { chainOf, listTimelines, readTimeline, type Timeline } from './catalog.ts'
import { PlaceProblem } from './places/place.ts'
import { listMedia, partBytes, sendBase, sendMedia, sendSegment, type Target } from './send.ts'
import { createSent } from './sent.ts'
import type { EarlierStatus } from './status.ts'
import { lease, type Timelines, timelineAt } from './timeline.ts'
import type { Unreferenced } from './unreferenced.ts'

export interface ReplicatorDeps extends Target {
  readonly store: Database
  readonly files: Files
  readonly dataDir: string
  readonly now: () => Date
  /** The timeline of the data, which all places share. */
  readonly timelines: Timelines
  /** Names files of this place in the data directory. */
  readonly id: string
  /** What an earlier run of the server has left. */
  readonly earlier?: EarlierStatus | undefined
  /** Called when the state has changed. */
  readonly onState: () => void
  /** The media at the place that the server has no more. */
  readonly unreferenced?: Pick<Unreferenced, 'seen'>
  /** Whether nothing may be sent or fetched at the moment. */
  readonly isMetered: () => Promise<boolean>
}

export interface ReplicatorState {
  /** Number of the last transaction that the place has; undefined before the place was read. */
  readonly seq: number | undefined
  /** When the place had everything, at last. */
  readonly copiedAt: Date | undefined
  readonly problem: PlaceProblem | undefined
  /** Since when steps have failed. */
  readonly problemSince: Date | undefined
  /** Bytes of a base that is being sent. */
  readonly progress: { readonly sent: number; readonly total: number } | undefined
  /** Media files that the place lacks. */
  readonly missingMedia: number
  /** Whether steps do nothing because the network is metered. */
  readonly isPaused: boolean
}

export interface Replicator {
  readonly state: ReplicatorState
  /** Copies everything that is on disk. Does not throw: see `state.problem`. */
  step(): Promise<void>
  /** Returns the highest generation of a timeline at the place; 0 if there is none. @throws PlaceProblem */
  newestGeneration(): Promise<number>
  /** Makes the next step read the place again. */
  forget(): void
  /** Forgets that another computer continues the server: the owner has decided that this one does. */
  takeOver(): void
  /** Makes the next step send a base. */
  renew(): void
  /** Runs work on the place between steps. */
  readonly betweenSteps: Serialize
}

/** Raw bytes of transactions in a segment, about. */
const segmentBytes = 2 * 1024 * 1024
/** A base is repeated when segments have more than this share of its size, but not below so many bytes, */
const segmentShare = 0.5
const fewestSegmentBytes = 16 * 1024 * 1024
/** and after a week. */
const baseMs = 7 * 24 * 60 * 60_000
/** How often the place is read for traces of another computer, beside the start. */
const readMs = 5 * 60_000

interface Position {
  readonly timeline: Timeline
  readonly tail: JournalTail
  /** When the place was read. */
  readonly readAt: number
  readonly baseAt: Date
  readonly baseBytes: number
  segmentBytes: number
  /** Hidden names of the media that are there. */
  readonly media: Set<string>
  /** Version of the table of blobs whose media are there. */
  mediaVersion: number
}

export function createReplicator(deps: ReplicatorDeps): Replicator {
  const { store, files, dataDir, now, place, sealer, timelines, id, onState, isMetered } = deps
  const serialize = createSerializer()
  const sent = createSent(files, join(dataDir, copiesName, `${id}.sent`))
  let position: Position | undefined
  /** The last transaction that the place can have from here, also from before this start and after an incomplete listing. */
  let reached = store.seq
  let isBaseWanted = false
  /** A base of which a part is there: its file is sent on after a failure. */
  let pending: (DatabaseCopy & { readonly timeline: Timeline; readonly at: Date }) | undefined
  let state: ReplicatorState = {
    ...{ seq: undefined, copiedAt: deps.earlier?.copiedAt, problem: deps.earlier?.elsewhere },
    problemSince: deps.earlier?.problemSince,
    ...{ progress: undefined, missingMedia: 0, isPaused: false },
  }
  const set = (change: Partial<ReplicatorState>) => {
    state = { ...state, ...change }
    onState()
  }

  async function step(): Promise<void> {
    const isPaused = await isMetered()
    if (isPaused !== state.isPaused) set({ isPaused })
    if (isPaused) return
    try {
      const started = now()
      const durable = store.seq
      await follow(durable)
      await copyMedia()
      // What was written meanwhile is left to the next step.
      set({ copiedAt: started, problem: undefined, problemSince: undefined })
    } catch (error) {
      const problem = toProblem(error)
      if (problem.kind === 'local') pending = undefined
      position = undefined
      const { problem: previous, problemSince = now() } = state
      // Writes stay refused until the place says otherwise: it may only be out of reach now.
      const isElsewhere = previous?.kind === 'elsewhere'
      set({ problem: isElsewhere ? previous : problem, problemSince, progress: undefined })
    }
  }

  /** Brings the place up to transaction `durable`. */
  async function follow(durable: number): Promise<void> {
    if (position && now().getTime() - position.readAt >= readMs) position = undefined
    position ??= await open()
    if (!position || isBaseWanted || isBaseDue(position)) position = await startBase(position)
    try {
      await sendTail(position, durable)
    } catch (error) {
      if (!(error instanceof JournalGap)) throw error
      position = await startBase()
      await sendTail(position, store.seq)
    }
  }

  async function sendTail(position: Position, durable: number): Promise<void> {
    for (;;) {
      const part = await position.tail.read(durable, segmentBytes)
      if (!part) break
      reached = Math.max(reached, part.to)
      const at = now()
      await sent.note(position.timeline, part.to, at)
      const { to, bytes } = await sendSegment(deps, position.timeline, part, at)
      position.segmentBytes += bytes
      set({ seq: to })
    }
  }

  /** Reads what the place has; undefined if it needs a base. */
  async function open(): Promise<Position | undefined> {
    const answer = await timelineAt(deps, timelines.current(), timelines.writers())
    const timeline = 'timeline' in answer ? answer.timeline : await timelines.begin(answer.above)
    await lease(deps, timeline, { writer: timelines.writers().at(-1) ?? '', at: now().toISOString() })
    const content = await readTimeline(place, timeline)
    const chain = chainOf(content)
    // A copy of the data folder on another computer has continued this timeline.
    if ((chain && chain.seq > reached) || !(await sent.hasAll(content))) {
      throw new PlaceProblem(
        'elsewhere',
        'The copy has changes that were not made here: another computer has continued this server.',
      )
    }
    if (!chain) {
      set({ seq: undefined })
      return undefined
    }
    set({ seq: chain.seq })
    return toPosition(timeline, chain.seq, {
      baseAt: chain.base.at,
      baseBytes: chain.base.parts.length * partBytes,
      segmentBytes: chain.segments.reduce((sum, { bytes }) => sum + bytes, 0),
    })
  }

  /** Sends a new base. Meanwhile the previous one is continued, without a gap between it and the next one. */
  async function startBase(previous?: Position): Promise<Position> {
    const timeline = timelines.current() ?? (await timelines.begin(0))
    const folder = join(dataDir, copiesName)
    const file = join(folder, `${id}.zst`)
    if (pending?.timeline !== timeline) pending = { timeline, at: now(), ...(await store.copyTo(file)) }
    const { at, seq } = pending
    reached = Math.max(reached, seq)
    await sent.note(timeline, seq, at)
    const total = await files.size(file)
    set({ progress: { sent: 0, total } })
    const onPart = async (sent: number) => {
      set({ progress: { sent, total } })
      if (previous) await continuePrevious(previous)
    }
    await sendBase(deps, timeline, pending, { files, file, onPart })
    await files.remove(file)
    pending = undefined
    isBaseWanted = false
    const last = Math.max(seq, previous?.tail.last ?? 0)
    set({ seq: last, progress: undefined })
    return toPosition(timeline, last, { baseAt: at, baseBytes: total, segmentBytes: 0 })
  }

  async function continuePrevious(previous: Position): Promise<void> {
    try {
      await sendTail(previous, store.seq)
    } catch (error) {
      if (!(error instanceof JournalGap)) throw error
    }
  }

  async function toPosition(
    timeline: Timeline,
    seq: number,
    sizes: Pick<Position, 'baseAt' | 'baseBytes' | 'segmentBytes'>,
  ): Promise<Position> {
    const media = new Set((await listMedia(place)).keys())
    const tail = new JournalTail(files, dataDir, seq)
    return { timeline, tail, readAt: now().getTime(), ...sizes, media, mediaVersion: -1 }
  }

  function isBaseDue({ baseAt, baseBytes, segmentBytes }: Position): boolean {
    return (
      now().getTime() - baseAt.getTime() >= baseMs ||
      segmentBytes > Math.max(fewestSegmentBytes, baseBytes * segmentShare)
    )
  }

  async function copyMedia(): Promise<void> {
    const version = store.version('blobs')
    if (!position || position.mediaVersion === version) return
    const { media } = position
    const cids = blobCids(store)
    await deps.unreferenced?.seen(cids.map((cid) => sealer.hiddenName(cid)))
    const missing = cids.filter((cid) => !media.has(sealer.hiddenName(cid)))
    let left = missing.length
    for (const cid of missing) {
      set({ missingMedia: left })
      // Missing here: nothing can be copied. The screen Data names such files.
      if (await sendMedia(deps, files, join(dataDir, blobsName), cid)) media.add(sealer.hiddenName(cid))
      left--
    }
    set({ missingMedia: 0 })
    position.mediaVersion = version
  }

  return {
    get state() {
      return state
    },
    step: () => serialize(step),
    betweenSteps: serialize,
    newestGeneration: async () => (await listTimelines(place))[0]?.generation ?? 0,
    forget() {
      position = undefined
    },
    takeOver() {
      position = undefined
      if (state.problem?.kind === 'elsewhere') set({ problem: undefined, problemSince: undefined })
    },
    renew() {
      isBaseWanted = true
    },
  }
}

function toProblem(error: unknown): PlaceProblem {
  if (error instanceof PlaceProblem) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new PlaceProblem('local', `The data of this computer cannot be copied: ${reason}`, { cause: error })
}
