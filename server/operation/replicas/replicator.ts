/** Keeps the replica at one place up to date: segments, media, and now and then a base. One step at a time; a failed one is repeated later. */
import { JournalGap, JournalTail } from '../../store/journal/tail.ts'
import { createSerializer, type Serialize } from '../../util/serialize.ts'
import { createBases } from './bases.ts'
import { type Content, headName, readContent, type Timeline } from './catalog.ts'
import { createMediaCopier } from './copy-media.ts'
import { createPlaceReader, permitEmpty } from './place-reader.ts'
import { PlaceProblem, toProblem } from './places/place.ts'
import type { Position, ReplicatorDeps, ReplicatorState } from './replicator-state.ts'
import { sendSegment } from './send.ts'
import { elsewhereProblem } from './timeline.ts'
import { chainOf } from './ways/ways.ts'

export interface Replicator {
  readonly state: ReplicatorState
  /** Copies everything that is on disk. Does not throw: see `state.problem`. */
  step(): Promise<void>
  /** Reads what the place has. The timeline is the one that this process has there. @throws PlaceProblem */
  read(): Promise<{ readonly content: Content; readonly timeline: Timeline }>
  /** Makes the next step read the place again. */
  forget(): void
  /** Forgets that another computer continues the server: the owner has decided that this one does. */
  takeOver(): void
  /** Permits to begin anew at a place that had the copy and is empty. */
  acceptEmpty(): Promise<void>
  /** Makes the next step send a base. */
  renew(): void
  /** Runs work on the place between steps. */
  readonly betweenSteps: Serialize
}

/** Raw bytes of transactions in a segment, about. */
const segmentBytes = 2 * 1024 * 1024

export function createReplicator(deps: ReplicatorDeps): Replicator {
  const { store, files, dataDir, now, place, timelines, id, onState, isMetered } = deps
  const serialize = createSerializer()
  let position: Position | undefined
  /** Whether the next step reads the place again: a running one goes on with what it has read. */
  let isForgotten = false
  /** Whether the place did not list what it had confirmed. */
  let isDoubtful = false
  let state: ReplicatorState = {
    ...{ seq: undefined, journalSeq: undefined, wholeSeq: undefined },
    ...{ copiedAt: deps.earlier?.copiedAt, problemSince: deps.earlier?.problemSince },
    problem: timelines.elsewhere && elsewhereProblem(timelines.elsewhere),
    ...{ baseProblem: undefined, progress: undefined, missingMedia: 0, missingHere: 0 },
    ...{ lost: undefined, isPaused: false },
  }
  const set = (change: Partial<ReplicatorState>) => {
    state = { ...state, ...change }
    onState()
  }
  const reader = createPlaceReader(deps, () => state, set)
  const media = createMediaCopier(deps, set)
  const bases = createBases({ ...deps, reader, state: () => state, set, hasSent, keepUp, toPosition })

  async function step(): Promise<void> {
    const isPaused = await isMetered()
    if (isPaused !== state.isPaused) set({ isPaused })
    if (isPaused) return
    try {
      await attempt()
      set({ problem: undefined, problemSince: undefined })
    } catch (error) {
      const at = now()
      // The clock may have been ahead when it began.
      const problemSince = state.problemSince && state.problemSince < at ? state.problemSince : at
      position = undefined
      media.forget()
      if (!deps.closing?.aborted) set({ problem: toProblem(error), problemSince, progress: undefined })
    }
  }

  async function attempt(): Promise<void> {
    if (timelines.elsewhere) throw elsewhereProblem(timelines.elsewhere)
    // The disk may have been full at the start.
    await timelines.keep()
    const started = now()
    const durable = store.seq
    if (reader.isDue() || isForgotten) position = undefined
    if (isForgotten) media.forget()
    isForgotten = false
    const isRead = position === undefined
    // The disk of the place may have been replaced by an empty folder since it was read.
    if (!isRead && (await place.size(headName)) === undefined) position = undefined
    position ??= await open()
    let isGap = false
    if (position) isGap = !(await hasSent(position, durable))
    if (isGap && !isRead) await open()
    if (!position || isGap) {
      position = await bases.make(isGap ? undefined : position)
      if (!(await hasSent(position, store.seq))) throw new JournalGap('Journals are missing after the base.')
    }
    if (isDoubtful) await confirmListed(durable)
    const current = position
    await media.copy(() => keepUp(current))
    // The next step copies changes of the meantime.
    set({ copiedAt: started, wholeSeq: durable })
    const isDue = await bases.isDue(position)
    if (isDue && !isRead) await open()
    if (isDue) position = await bases.repeat(position)
  }

  /** Lists the place again: one that lost confirmed objects may confirm them again and lose them again. @throws PlaceProblem `damaged` */
  async function confirmListed(durable: number): Promise<void> {
    const listed = await readContent(deps)
    const chain = reader.own && chainOf(listed, reader.own)
    if (!chain || chain.seq < durable)
      throw new PlaceProblem(
        'damaged',
        'The place has lost objects that it had stored. They are sent again later.',
      )
    isDoubtful = false
  }

  /** Copies the transactions up to `durable`. Returns false if a journal that has them cannot be read. */
  async function hasSent(current: Position, durable: number): Promise<boolean> {
    const { timeline, tail, base } = current
    try {
      for (;;) {
        const part = await tail.read(durable, segmentBytes)
        if (!part) return tail.last >= durable
        const { to, bytes } = await sendSegment(deps, timeline.name, part, now())
        current.segmentBytes += bytes
        set({ journalSeq: to, ...(base && { seq: to }) })
      }
    } catch (error) {
      if (error instanceof JournalGap) return false
      throw error
    }
  }

  /** Reads what the place has; undefined if it needs a base. */
  async function open(): Promise<Position | undefined> {
    const timeline = await reader.open()
    const chain = reader.content && chainOf(reader.content, timeline)
    isDoubtful ||= (chain?.seq ?? 0) < (state.wholeSeq ?? 0)
    if (!chain) {
      set({ seq: undefined, wholeSeq: undefined })
      return undefined
    }
    const isShorter = chain.seq < (state.wholeSeq ?? 0)
    set({ seq: chain.seq, journalSeq: chain.seq, ...(isShorter && { wholeSeq: undefined }) })
    return toPosition(timeline, chain.seq, {
      base: { at: chain.base.at.getTime(), bytes: chain.base.bytes },
      segmentBytes: chain.segments.reduce((sum, { bytes }) => sum + bytes, 0),
    })
  }

  /** Continues the copy beside something that takes long to send. */
  async function keepUp(continued: Position): Promise<void> {
    await hasSent(continued, store.seq)
    await deps.afterStep?.()
    if (reader.isDue()) await reader.read()
  }

  function toPosition(
    timeline: Timeline,
    seq: number,
    sizes: Pick<Position, 'base' | 'segmentBytes'>,
  ): Position {
    return { timeline, tail: new JournalTail(files, dataDir, seq), ...sizes }
  }

  return {
    get state() {
      return state
    },
    step: () => serialize(step),
    betweenSteps: serialize,
    read: () =>
      serialize(async () => {
        const read = await readContent(deps)
        const { own } = reader
        const isCurrent = own?.name === timelines.current.name
        return { content: read, timeline: own && isCurrent ? own : timelines.at(read.timelines) }
      }),
    forget() {
      isForgotten = true
    },
    takeOver() {
      isForgotten = true
      if (state.problem?.kind === 'elsewhere') set({ problem: undefined, problemSince: undefined })
    },
    async acceptEmpty() {
      await permitEmpty(files, dataDir, id)
      isForgotten = true
    },
    renew: bases.renew,
  }
}
