/** A store on a faulty disk with an archive of events: events have 100 bytes, segments three events, the table at most six. */
import { join } from 'node:path'
import { Database } from '../../../../server/platform/store/database.ts'
import type { Files } from '../../../../server/platform/store/files.ts'
import { eventsName } from '../../../../server/platform/store/layout.ts'
import { schema } from '../../../../server/platform/store/schema.ts'
import * as removals from '../../../../server/platform/store/tables/event-removals.ts'
import * as segments from '../../../../server/platform/store/tables/event-segments.ts'
import * as events from '../../../../server/platform/store/tables/events.ts'
import { createBackground } from '../../../../server/platform/util/background.ts'
import { createLogger } from '../../../../server/platform/util/log.ts'
import {
  type ArchiveLimits,
  createEventArchive,
  type EventArchive,
} from '../../../../server/repository/events/archive.ts'
import { createEventLog, type EventLog } from '../../../../server/repository/events/event-log.ts'
import { pruneEvents } from '../../../../server/repository/events/retention.ts'
import { createSegmentFiles, type SegmentFiles } from '../../../../server/repository/events/segment-files.ts'
import { plausibleClock } from '../../../support/clock.ts'
import type { FaultyDisk } from '../../platform/store/faulty-disk.ts'

export const directory = '/data'
export const folder = join(directory, eventsName)
export const frameBytes = 100

const limits: ArchiveLimits = { startBytes: 600, keptBytes: 400, segmentBytes: 300, segmentEvents: 50 }

export class ArchivedStore {
  readonly disk: FaultyDisk
  /** Lines of the log. */
  readonly logged: string[] = []
  readonly stopping = new AbortController()
  store!: Database
  segmentFiles!: SegmentFiles
  eventLog!: EventLog
  archive!: EventArchive

  constructor(disk: FaultyDisk) {
    this.disk = disk
  }

  /** @param files replaces the files of the archive */
  async open(
    files: Files = this.disk.files,
    { storeFiles = this.disk.files, eventLimit = 100_000 }: { storeFiles?: Files; eventLimit?: number } = {},
  ): Promise<this> {
    this.store = await Database.open({
      directory,
      schema,
      now: () => new Date(0),
      files: storeFiles,
    })
    const log = createLogger('warn', { write: (line: string) => void this.logged.push(line) })
    const { store } = this
    this.segmentFiles = createSegmentFiles({ files, dataDir: directory })
    this.eventLog = createEventLog({ store, segmentFiles: this.segmentFiles, log })
    this.archive = createEventArchive({
      config: { eventLimit },
      store,
      segmentFiles: this.segmentFiles,
      eventLog: this.eventLog,
      background: createBackground(log),
      log,
      signal: this.stopping.signal,
      limits,
    })
    return this
  }

  /** Adds events of an account. Each frame has the DID and the number. */
  async emit(did: string, count = 1, at = 0): Promise<void> {
    for (let n = 0; n < count; n++) {
      await this.store.transact((tx) =>
        events.append(
          tx,
          { kind: 'commit', did, at: new Date(at) },
          (seq) => new Uint8Array(Buffer.from(`${did} ${seq}`.padEnd(frameBytes))),
        ),
      )
    }
  }

  /** As the deletion of an account does. */
  async removeAccount(did: string): Promise<void> {
    await this.store.transact((tx) => {
      events.removeOfAccount(tx, did)
      removals.add(tx, did)
    })
  }

  /** Keeps events since a time, and so many bytes. */
  async prune(since: number, bytes = 100_000): Promise<void> {
    await pruneEvents({
      config: { eventRetention: 0, eventLimit: bytes },
      store: this.store,
      segmentFiles: this.segmentFiles,
      now: () => new Date(since),
      clock: plausibleClock,
    })
  }

  get state(): events.EventState {
    return events.state(this.store)
  }

  get segments(): segments.Segment[] {
    return segments.all(this.store)
  }

  /** Names of the files. */
  get names(): string[] {
    return this.disk.names(folder)
  }

  /** The text of all files. */
  get text(): string {
    return this.names.map((name) => this.disk.content(join(folder, name)).toString('latin1')).join()
  }

  /** Reads the events after a number. Returns the contents of their frames. */
  async replay(from = 0): Promise<string[]> {
    const frames: string[] = []
    for (let at = from; ; ) {
      const page = await this.eventLog.page(at)
      if (page.events.length === 0) return frames
      for (const { seq, frame } of page.events) {
        frames.push(Buffer.from(frame).toString().trimEnd())
        at = seq
      }
    }
  }
}

/** The content of the frames with these numbers. */
export function framesOf(did: string, ...seqs: readonly number[]): string[] {
  return seqs.map((seq) => `${did} ${seq}`)
}
