/**
 * Reads the event stream: replays it from a cursor, then continues with new events, without a gap or a repeat. Events are yielded
 * only once they are on disk.
 */
import type { com } from '../../lexicons/generated/index.ts'
import type { Database } from '../store/database.ts'
import { StoreUnavailable } from '../store/errors.ts'
import * as events from '../store/tables/events.ts'
import { protocolError, XrpcError } from '../xrpc/errors.ts'
import type { EventLog } from './event-log.ts'
import { createRecentEvents } from './recent.ts'

export interface EventStream {
  /**
   * Yields frames until the signal aborts, after a message if events after the cursor have been deleted.
   * @param cursor number of the last event that the consumer has; undefined: only new events
   * @throws FutureCursor, NotEnoughResources, RateLimitExceeded
   */
  read(cursor: number | undefined, signal: AbortSignal): AsyncIterable<Message>
}

type Message = Uint8Array | com.core.sync.subscribeRepos.$Message

interface Deps {
  readonly store: Database
  readonly eventLog: Pick<EventLog, 'page'>
  /** Reports unexpected errors, because reading new events has no caller. */
  readonly onFault: (error: unknown) => void
}

/** Each one may have 2 MB that it has not read yet, and one segment of the archive. */
const maxConsumers = 200

const outdated: Message = {
  $type: 'com.core.sync.subscribeRepos#info',
  name: 'OutdatedCursor',
  message: 'Events after the cursor have been deleted. The stream begins with the oldest event.',
}

export function createEventStream({ store, eventLog, onFault }: Deps): EventStream {
  const recent = createRecentEvents({ store, eventLog, onFault })

  /** Yields all events after `from`: from the store until it has caught up with the recent ones. */
  async function* follow(from: number, signal: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
    let at = from
    while (!signal.aborted) {
      const { start } = recent
      const isRecent = at >= start
      const page = isRecent ? recent.after(at) : (await settled(store, () => eventLog.page(at))).events
      for (const { seq, frame } of page) {
        yield frame
        at = seq
      }
      if (page.length > 0) continue
      if (isRecent) await recent.change()
      else at = start
    }
  }

  return {
    async *read(cursor, signal) {
      const { lastSeq, outdatedSeq } = await settled(store, () => events.state(store))
      const from = Math.max(cursor ?? lastSeq, 0)
      if (from > lastSeq) throw new XrpcError('FutureCursor', `The last event has the number ${lastSeq}`)
      if (recent.consumers >= maxConsumers)
        throw protocolError('RateLimitExceeded', 'The event stream has too many consumers. Try again later.')
      const leave = recent.join(lastSeq, signal)
      try {
        if (from < outdatedSeq) yield outdated
        yield* follow(from, signal)
      } finally {
        leave()
      }
    },
  }
}

/** Returns what `read` returns, once it is on disk. @throws NotEnoughResources */
async function settled<T>(store: Database, read: () => T | Promise<T>): Promise<T> {
  const { epoch } = store
  try {
    const result = await read()
    await store.settled(epoch)
    return result
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    throw protocolError('NotEnoughResources', 'The server cannot write to its disk at the moment')
  }
}
