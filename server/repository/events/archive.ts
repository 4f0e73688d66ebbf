/**
 * Moves older events from the table to segment files, so that the database and its backups stay small; and deletes events of
 * deleted accounts from the files.
 *
 * A file is written before its row and deleted after it, so a row always has a file. A crash leaves files without a row,
 * which `sweep` deletes.
 */
import { setImmediate } from 'node:timers/promises'
import type { Config } from '../../platform/config/config.ts'
import type { Platform } from '../../platform/platform.ts'
import * as removals from '../../platform/store/tables/event-removals.ts'
import * as segments from '../../platform/store/tables/event-segments.ts'
import * as events from '../../platform/store/tables/events.ts'
import { createSerializer } from '../../platform/util/serialize.ts'
import type { EventLog } from './event-log.ts'
import type { SegmentFiles } from './segment-files.ts'

export interface EventArchive {
  /** Does the work that is due. Logs the first of several failures: the next run tries again. */
  run(): Promise<void>
  /** Runs whenever something is due, unless the last run failed. @returns a function that stops it */
  watch(): () => void
  /** Deletes files without a row, and rows without a file. */
  sweep(): Promise<void>
}

export interface ArchiveLimits {
  /** With more bytes of frames in the table, events are archived. */
  readonly startBytes: number
  /** About this many bytes of frames stay in the table then. */
  readonly keptBytes: number
  /** Limits of a segment. A single event may be larger. */
  readonly segmentBytes: number
  readonly segmentEvents: number
}

/** A transaction that deletes the rows of one segment takes a few milliseconds. */
const defaultLimits: ArchiveLimits = {
  startBytes: 4_000_000,
  keptBytes: 3_000_000,
  segmentBytes: 1_000_000,
  segmentEvents: 1000,
}

/** Rows that are read at once, which takes a few milliseconds. */
const batch = 200

interface Deps extends Pick<Platform, 'store' | 'background' | 'log' | 'signal'> {
  readonly config: Pick<Config, 'eventLimit'>
  readonly segmentFiles: SegmentFiles
  readonly eventLog: Pick<EventLog, 'discard'>
  /** Replaces the limits; tests take lower ones. */
  readonly limits: ArchiveLimits | undefined
}

export function createEventArchive(deps: Deps): EventArchive {
  const { config, store, segmentFiles, eventLog, background, log, signal, limits = defaultLimits } = deps
  /** A sweep would delete a file that has no row yet. */
  const serialize = createSerializer()
  /** Names of the tasks whose last attempt failed. */
  const failing = new Set<string>()

  const tableBytes = () => {
    const { bytes, archivedBytes } = events.state(store)
    return bytes - archivedBytes
  }

  /** If all events that are kept fit into the table, retention alone limits it. */
  const isArchivingDue = () => config.eventLimit > limits.startBytes && tableBytes() > limits.startBytes

  async function archiveDue(): Promise<void> {
    if (!isArchivingDue()) return
    while (!signal.aborted && tableBytes() > limits.keptBytes) {
      if (!(await archiveOldest())) return
      await setImmediate()
    }
  }

  /** Moves the oldest events to a segment, unless some of them are deleted meanwhile. Returns false if there are none. */
  async function archiveOldest(): Promise<boolean> {
    const { epoch } = store
    const end = events.endOfOldest(store, { events: limits.segmentEvents, bytes: limits.segmentBytes })
    if (end === 0) return false
    const oldest: events.EventSize[] = []
    async function* batches() {
      for (let at = 0; at < end; await setImmediate()) {
        const rows = events.rows(store, at, end, batch)
        oldest.push(...rows.map((row) => ({ seq: row.seq, at: row.at, bytes: row.frame.length })))
        yield rows
        at = rows.at(-1)?.seq ?? end
      }
      await store.settled(epoch)
    }
    const name = await segmentFiles.write(batches())
    const isMoved = await store.transact((tx) => segments.insert(tx, name, oldest))
    if (!isMoved) await segmentFiles.remove(name)
    return true
  }

  async function removeDue(): Promise<void> {
    while (!signal.aborted) {
      const { epoch } = store
      const due = removals.all(store)
      if (due.size === 0) return
      await store.settled(epoch)
      const until = Math.max(...due.values())
      for (let at = 0; ; await setImmediate()) {
        const segment = segments.next(store, at)
        if (!segment || segment.firstSeq > until) break
        if (signal.aborted) return
        await removeFrom(segment, due)
        at = segment.lastSeq
      }
      await store.transact((tx) => removals.remove(tx, due))
    }
  }

  /** Deletes events of deleted accounts from a segment. */
  async function removeFrom(segment: segments.Segment, due: removals.Removals): Promise<void> {
    const found = await segmentFiles.read(segment.name)
    if (!found) return eventLog.discard(segment)
    const left = found.filter((event) => !removals.isRemoved(due, event))
    if (left.length === found.length) return
    await setImmediate()
    const name = left.length > 0 ? await segmentFiles.write([left]) : undefined
    const isChanged = await store.transact((tx) =>
      name === undefined ? segments.remove(tx, segment) : segments.replace(tx, segment, name, left),
    )
    if (isChanged) await segmentFiles.remove(segment.name)
    else if (name !== undefined) await segmentFiles.remove(name)
  }

  async function sweep(): Promise<void> {
    const { epoch } = store
    const stored = segments.all(store)
    await store.settled(epoch)
    // A rejected transaction may be on disk until the next write: after a crash its row would be back, but its file deleted.
    if (!store.writable) return
    const named = new Set(stored.map(({ name }) => name))
    const existing = new Set(await segmentFiles.list())
    for (const name of existing) if (!named.has(name)) await segmentFiles.remove(name)
    for (const segment of stored) if (!existing.has(segment.name)) await eventLog.discard(segment)
  }

  /** Logs the first of several failures: on a full disk each attempt fails. */
  async function attempt(name: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
      failing.delete(name)
    } catch (error) {
      if (!failing.has(name)) log.warn({ err: error }, `${name} failed, retrying later`)
      failing.add(name)
    }
  }

  const run = () =>
    serialize(async () => {
      await attempt('deletion of archived events', removeDue)
      await attempt('archiving of events', archiveDue)
    })

  return {
    run,
    watch() {
      let version = 0
      let isRunning = false
      return store.watch(() => {
        if (isRunning || failing.size > 0 || store.version('events', 'event_removals') === version) return
        version = store.version('events', 'event_removals')
        if (!isArchivingDue() && removals.all(store).size === 0) return
        isRunning = true
        background.run('archiving of events', () =>
          run().finally(() => {
            isRunning = false
          }),
        )
      })
    },
    sweep: () => serialize(sweep),
  }
}
