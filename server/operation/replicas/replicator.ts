/** Keeps the replica at one place up to date: segments, media, and now and then a base. One step at a time; a failed one is repeated later. */
import { join } from 'node:path'
import { exists } from '../../platform/store/blob-files.ts'
import type { Database } from '../../platform/store/database.ts'
import type { Files } from '../../platform/store/files.ts'
import { JournalGap, JournalTail } from '../../platform/store/journal/tail.ts'
import { blobsName, copiesName } from '../../platform/store/layout.ts'
import { during } from '../../platform/util/during.ts'
import { createSerializer, type Serialize } from '../../platform/util/serialize.ts'
import {
  type Content,
  chainOf,
  headName,
  limitsOf,
  listTimelines,
  readContent,
  type Timeline,
} from './catalog.ts'
import { forbidEmpty, isEmptyPermitted, permitEmpty } from './empty-place.ts'
import { newestGeneration } from './generation.ts'
import { checkHead, findElsewhere, renewLease, writeHead } from './lease.ts'
import type { MediaGroup, MediaNames } from './media-names.ts'
import { createPendingBases } from './pending-base.ts'
import { PlaceProblem } from './places/place.ts'
import {
  listMedia,
  type PendingBase,
  partBytes,
  sendBase,
  sendMedia,
  sendSegment,
  type Target,
} from './send.ts'
import type { EarlierStatus } from './status.ts'
import { elsewhereProblem, type Lost, type Timelines } from './timeline.ts'
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
  /** What an earlier run of the server has left. */
  readonly earlier?: EarlierStatus | undefined
  /** Called when the state has changed. */
  readonly onState: () => void
  /** Called after transactions were copied beside a base. */
  readonly afterStep?: () => Promise<void>
  /** The media at the place that the server has no more. */
  readonly unreferenced?: Pick<Unreferenced, 'seen'>
  /** Whether nothing may be sent or fetched at the moment. */
  readonly isMetered: () => Promise<boolean>
  /** Milliseconds after which transactions are copied beside a base or media; 15 seconds by default. */
  readonly besideMs?: number
  /** Aborted when the server stops: requests that fail then are no problem of the place. */
  readonly closing?: AbortSignal
}

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
  /** Media files that neither this computer nor the place has. */
  readonly missingHere: number
  /** A branch at the place with changes that this disk has lost. */
  readonly lost: Lost | undefined
  /** Whether steps do nothing because the network is metered. */
  readonly isPaused: boolean
}

export interface Replicator {
  readonly state: ReplicatorState
  /** Copies everything that is on disk. Does not throw: see `state.problem`. */
  step(): Promise<void>
  /** Reads what the place has. The timeline is the one that this process has there. @throws PlaceProblem */
  read(): Promise<{ readonly content: Content; readonly timeline: Timeline }>
  /** Returns the highest generation of timelines at the place; 0 if there is none. @throws PlaceProblem */
  newestGeneration(): Promise<number>
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
/** A base is repeated when segments have more than this share of its size, but not below so many bytes, */
const segmentShare = 0.5
const fewestSegmentBytes = 16 * 1024 * 1024
/** and after a week. */
const baseMs = 7 * 24 * 60 * 60_000
/** A base that this computer cannot make is tried again after a day. */
const baseRetryMs = 24 * 60 * 60_000
/** How often the place is read for traces of another computer, beside the start, and for its media. */
const readMs = 5 * 60_000
const mediaMs = 24 * 60 * 60_000

interface Position {
  readonly timeline: Timeline
  readonly tail: JournalTail
  /** The base that the segments continue; undefined while the first one is being sent. */
  readonly base: { readonly at: number; readonly bytes: number } | undefined
  segmentBytes: number
}

interface MediaPosition {
  readonly readAt: number
  /** Hidden names of the media that are there. */
  readonly there: Set<string>
  /** What was compared last. */
  groups: readonly MediaGroup[]
  /** The groups of which all media are there. */
  complete: ReadonlySet<MediaGroup>
}

export function createReplicator(deps: ReplicatorDeps): Replicator {
  const { store, files, dataDir, now, place, timelines, mediaNames, id, onState, isMetered } = deps
  const { besideMs = 15_000 } = deps
  const serialize = createSerializer()
  const folder = join(dataDir, copiesName)
  const bases = createPendingBases(files, store, { dataDir, folder, id })
  /** The timeline of this process as the place has it. */
  let own: Timeline | undefined
  /** What was listed last. */
  let content: Content | undefined
  let readAt = 0
  let position: Position | undefined
  let media: MediaPosition | undefined
  /** Whether the next step reads the place again: a running one goes on with what it has read. */
  let isForgotten = false
  let isBaseWanted = false
  /** Whether the place did not list what it had confirmed. */
  let isDoubtful = false
  /** When this computer failed to make a base. */
  let baseFailedAt: number | undefined
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

  async function step(): Promise<void> {
    const isPaused = await isMetered()
    if (isPaused !== state.isPaused) set({ isPaused })
    if (isPaused) return
    try {
      await attempt()
      set({ problem: undefined, problemSince: undefined })
    } catch (error) {
      const { problemSince = now() } = state
      position = undefined
      media = undefined
      if (!deps.closing?.aborted) set({ problem: toProblem(error), problemSince, progress: undefined })
    }
  }

  async function attempt(): Promise<void> {
    if (timelines.elsewhere) throw elsewhereProblem(timelines.elsewhere)
    const started = now()
    const durable = store.seq
    if (isReadDue() || isForgotten) position = undefined
    if (isForgotten) media = undefined
    isForgotten = false
    const isRead = position === undefined
    // The disk of the place may have been replaced by an empty folder since it was read.
    if (!isRead && (await place.size(headName)) === undefined) position = undefined
    position ??= await open()
    let isGap = false
    if (position) isGap = !(await hasSent(position, durable))
    if (isGap && !isRead) await open()
    if (!position || isGap) {
      position = await makeBase(isGap ? undefined : position)
      if (!(await hasSent(position, store.seq))) throw new JournalGap('Journals are missing after the base.')
    }
    if (isDoubtful) await confirmListed(durable)
    await copyMedia(position)
    // What was written meanwhile is left to the next step.
    set({ copiedAt: started, wholeSeq: durable })
    const isDue = isBaseWanted || isBaseDue(position) || (await bases.read()) !== undefined
    if (isDue && !isRead) await open()
    if (isDue) position = await repeatBase(position)
  }

  /** A place that has lost what it had stored may say again that it has stored it. @throws PlaceProblem `damaged` */
  async function confirmListed(durable: number): Promise<void> {
    const listed = await readContent(deps)
    const chain = own && chainOf(listed, own)
    if (!chain || chain.seq < durable)
      throw new PlaceProblem('damaged', 'The place does not keep what it has stored. It is sent again later.')
    isDoubtful = false
  }

  /** Copies the transactions up to `durable`. Returns false if a journal that has them cannot be read. */
  async function hasSent(position: Position, durable: number): Promise<boolean> {
    try {
      await sendTail(position, durable)
      return true
    } catch (error) {
      if (error instanceof JournalGap) return false
      throw error
    }
  }

  async function sendTail(current: Position, durable: number): Promise<void> {
    const { timeline, tail, base } = current
    for (;;) {
      const part = await tail.read(durable, segmentBytes)
      if (!part) break
      const { to, bytes } = await sendSegment(deps, timeline.name, part, now())
      current.segmentBytes += bytes
      set({ journalSeq: to, ...(base && { seq: to }) })
    }
    if (tail.last < durable) throw new JournalGap(`Transaction ${tail.last + 1} cannot be read.`)
  }

  /** Reads what the place has; undefined if it needs a base. */
  async function open(): Promise<Position | undefined> {
    if (!(await checkHead(deps))) await beginPlace()
    const timeline = await readPlace()
    const chain = content && chainOf(content, timeline)
    isDoubtful ||= (chain?.seq ?? 0) < (state.wholeSeq ?? 0)
    if (!chain) {
      set({ seq: undefined, wholeSeq: undefined })
      return undefined
    }
    const isShorter = chain.seq < (state.wholeSeq ?? 0)
    set({ seq: chain.seq, journalSeq: chain.seq, ...(isShorter && { wholeSeq: undefined }) })
    return toPosition(timeline, chain.seq, {
      base: { at: chain.base.at.getTime(), bytes: chain.base.parts.length * partBytes },
      segmentBytes: chain.segments.reduce((sum, { bytes }) => sum + bytes, 0),
    })
  }

  /** Writes the head of a place that has none. */
  async function beginPlace(): Promise<void> {
    const isEmpty = (await listTimelines(place)).length === 0
    if (isEmpty) set({ seq: undefined, wholeSeq: undefined })
    if (isEmpty && state.copiedAt && !(await isEmptyPermitted(files, dataDir, id))) {
      throw new PlaceProblem(
        'empty',
        'The copy that was at this place is no longer there. Connect its disk, or begin anew.',
      )
    }
    await writeHead(deps)
    await forbidEmpty(files, dataDir, id)
  }

  const isReadDue = () => now().getTime() - readAt >= readMs

  /** Compares the timelines at the place with that of this process, and puts its lease there. @throws PlaceProblem `elsewhere` */
  async function readPlace(): Promise<Timeline> {
    content = await readContent(deps)
    const listed = content.timelines
    if (own?.name !== timelines.current.name) own = undefined
    own ??= timelines.at(listed)
    // The memory of this process was rolled back, as by a snapshot of a virtual machine.
    if ((chainOf(content, own)?.seq ?? 0) > store.seq) {
      timelines.branch(store.seq)
      own = timelines.at(listed)
    }
    const lost = timelines.lostAt(content)
    const lacks = lost !== undefined
    set({ lost: lost?.isDismissed ? undefined : lost })
    const other = await findElsewhere(deps, listed, timelines, lacks)
    if (other) {
      await timelines.yieldTo(other)
      throw elsewhereProblem(other)
    }
    await timelines.keep()
    const { name } = own
    const seen = [...new Set([...listed.map((each) => each.name), name])].toSorted()
    await lease(
      seen,
      lacks,
      listed.some((each) => each.name === name),
    )
    readAt = now().getTime()
    return own
  }

  let leased: string | undefined
  async function lease(seen: readonly string[], lacks: boolean, isListed: boolean): Promise<void> {
    const content = { at: timelines.beganAt.toISOString(), lacks, seen }
    const text = JSON.stringify(content)
    if (!own || (isListed && leased === text)) return
    await renewLease(deps, own, content)
    leased = text
  }

  /** Sends a base, or the rest of one. Meanwhile `previous` is continued, so that no transaction waits for it. */
  async function makeBase(previous?: Position): Promise<Position> {
    const timeline = previous?.timeline ?? own
    if (!timeline) throw new Error('The place was not read.')
    if (!previous?.base && state.baseProblem && isBaseWaiting()) throw state.baseProblem
    let pending = await pendingBase(timeline)
    let beside = previous ?? besideOf(timeline, pending)
    if (!previous && !(await hasSent(beside, store.seq))) {
      isBaseWanted = true
      pending = await pendingBase(timeline)
      beside = besideOf(timeline, pending)
    }
    const continued = beside
    const total = await files.size(bases.file)
    set({ progress: { sent: 0, total } })
    const onPart = async (sent: number) => {
      set({ progress: { sent, total } })
      await keepUp(continued)
    }
    await sendBase(deps, pending, { files, file: bases.file, onPart, besideMs }).catch(
      async (error: unknown) => {
        // The file is not what it was: another one must be made.
        if (!(error instanceof PlaceProblem)) await bases.remove()
        throw error
      },
    )
    await bases.remove()
    const last = Math.max(pending.seq, continued.tail.last)
    set({ seq: last, journalSeq: last, progress: undefined, baseProblem: undefined })
    return toPosition(timeline, last, {
      base: { at: new Date(pending.at).getTime(), bytes: total },
      segmentBytes: 0,
    })
  }

  /** Continues the copy beside something that takes long to send. */
  async function keepUp(continued: Position): Promise<void> {
    await hasSent(continued, store.seq)
    await deps.afterStep?.()
    if (isReadDue()) await readPlace()
  }

  /** Returns where the segments go on beside the first base. */
  function besideOf(timeline: Timeline, { seq, ...pending }: PendingBase): Position {
    const base = { ...pending, name: '', seq, at: new Date(pending.at), parts: [], isPartial: false }
    const chain = content && chainOf({ ...content, bases: [base] }, timeline)
    return toPosition(timeline, chain?.seq ?? seq, { base: undefined, segmentBytes: 0 })
  }

  /** Returns the base whose upload was interrupted, or a new one. */
  async function pendingBase(timeline: Timeline): Promise<PendingBase> {
    const pending = await bases.read()
    const limits = limitsOf(content?.timelines ?? [], timeline)
    const isOnPath = pending && pending.seq <= (limits.get(pending.timeline) ?? -1)
    if (isOnPath && !isBaseWanted && (await exists(files, bases.file))) return pending
    try {
      const begun = await bases.begin(timeline.name, now())
      baseFailedAt = undefined
      isBaseWanted = false
      return begun
    } catch (error) {
      const problem = toProblem(error)
      // The check of the free space costs nothing.
      baseFailedAt = error instanceof PlaceProblem ? undefined : now().getTime()
      set({ baseProblem: problem })
      throw problem
    }
  }

  const isBaseWaiting = () => baseFailedAt !== undefined && now().getTime() - baseFailedAt < baseRetryMs

  /** Sends a new base beside a chain. A failure of this computer keeps nothing from being copied. */
  async function repeatBase(previous: Position): Promise<Position> {
    if (isBaseWaiting()) return previous
    try {
      return await makeBase(previous)
    } catch (error) {
      const problem = toProblem(error)
      if (problem.kind !== 'local') throw error
      set({ baseProblem: problem, progress: undefined })
      return previous
    }
  }

  function toPosition(
    timeline: Timeline,
    seq: number,
    sizes: Pick<Position, 'base' | 'segmentBytes'>,
  ): Position {
    return { timeline, tail: new JournalTail(files, dataDir, seq), ...sizes }
  }

  function isBaseDue({ base, segmentBytes }: Position): boolean {
    if (!base) return true
    const most = Math.max(fewestSegmentBytes, base.bytes * segmentShare)
    return now().getTime() - base.at >= baseMs || segmentBytes > most
  }

  async function copyMedia(continued: Position): Promise<void> {
    const groups = await mediaNames.read()
    if (media && now().getTime() - media.readAt >= mediaMs) media = undefined
    media ??= await listPlaceMedia()
    const known = media
    const { there, complete } = known
    if (known.groups === groups) return
    const names = groups.filter((group) => !complete.has(group)).flatMap((group) => [...group])
    await deps.unreferenced?.seen(names.map(([name]) => name))
    const missing = names.filter(([name]) => !there.has(name))
    let left = missing.length
    let missingHere = 0
    let keptUpAt = performance.now()
    const keepUpMeanwhile = async () => {
      await keepUp(continued)
      keptUpAt = performance.now()
    }
    for (const [name, cid] of missing) {
      set({ missingMedia: left })
      const sending = sendMedia(deps, files, join(dataDir, blobsName), cid)
      if (await during(sending, besideMs, keepUpMeanwhile)) there.add(name)
      else if (mediaNames.has(cid)) missingHere++
      left--
      if (performance.now() - keptUpAt >= besideMs) await keepUpMeanwhile()
    }
    set({ missingMedia: 0, missingHere })
    const isComplete = (group: MediaGroup) =>
      complete.has(group) || [...group.keys()].every((name) => there.has(name))
    known.groups = groups
    known.complete = new Set(groups.filter(isComplete))
  }

  async function listPlaceMedia(): Promise<MediaPosition> {
    const there = new Set((await listMedia(deps)).keys())
    return { readAt: now().getTime(), there, groups: [], complete: new Set() }
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
        const isCurrent = own?.name === timelines.current.name
        return { content: read, timeline: own && isCurrent ? own : timelines.at(read.timelines) }
      }),
    newestGeneration: () => newestGeneration(deps),
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
    renew() {
      isBaseWanted = true
      baseFailedAt = undefined
    },
  }
}

function toProblem(error: unknown): PlaceProblem {
  if (error instanceof PlaceProblem) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new PlaceProblem('local', `The data of this computer cannot be copied: ${reason}`, { cause: error })
}
