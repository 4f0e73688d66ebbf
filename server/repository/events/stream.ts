/**
 * Reads the event stream: replays it from a cursor, then continues with new events, without a gap or a repeat. Events are yielded
 * only once they are on disk.
 */
import type { com } from '../../../lexicons/generated/index.ts'
import { protocolError, XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import type { Database } from '../../store/database.ts'
import { StoreUnavailable } from '../../store/files/store-errors.ts'
import { yieldToEventLoop } from '../../util/timers.ts'
import * as events from '../tables/events.ts'
import { type Consumer, createConsumers } from './consumers.ts'
import { createRecentEvents } from './recent-events.ts'

export interface EventStream {
  /**
   * Yields frames until the signal aborts, after a message if events after the cursor have been deleted.
   * @param cursor number of the last event that the consumer has; undefined: only new events
   * @throws FutureCursor, NotEnoughResources, RateLimitExceeded
   */
  read(cursor: number | undefined, connection: Connection): AsyncIterable<Message>
}

/** The connection of a consumer. */
interface Connection extends Pick<Consumer, 'network' | 'end'> {
  /** Aborts when it ends. */
  readonly signal: AbortSignal
}

type Message = Uint8Array | com.core.sync.subscribeRepos.$Message

interface Deps {
  readonly store: Database
  /** Reports unexpected errors, because reading new events has no caller. */
  readonly onFault: (error: unknown) => void
  /** Called when a consumer is refused, or cut off to make room. */
  readonly onRefused?: () => void
}

/** Each one may have 2 MB that it has not read yet. */
const maxConsumers = 200

const outdated: Message = {
  $type: 'com.core.sync.subscribeRepos#info',
  name: 'OutdatedCursor',
  message: 'Events after the cursor have been deleted. The stream begins with the oldest event.',
}

export function createEventStream({ store, onFault, onRefused }: Deps): EventStream {
  const recent = createRecentEvents({ store, onFault })
  const consumers = createConsumers(maxConsumers, onRefused)

  /** Yields all events after the position of a consumer: from the store until it has caught up with the recent ones. */
  async function* follow(
    consumer: { position: number },
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, void> {
    while (!signal.aborted) {
      const { start } = recent
      const { position } = consumer
      const page = position < start ? await settled(store, () => events.page(store, position)) : undefined
      const found = page?.events ?? recent.after(position)
      for (const { seq, frame } of found) {
        yield frame
        consumer.position = seq
      }
      if (page) {
        consumer.position = page.isLast ? Math.max(page.last, start) : page.last
        // Other requests go on between two pages, also if a consumer takes everything at once.
        await yieldToEventLoop()
      } else if (found.length === 0) {
        await recent.change()
      }
    }
  }

  return {
    async *read(cursor, { signal, ...connection }) {
      const { lastSeq, outdatedSeq } = await settled(store, () => events.state(store))
      const from = Math.max(cursor ?? lastSeq, 0)
      if (from > lastSeq) throw new XrpcError('FutureCursor', `The last event has the number ${lastSeq}`)
      const consumer = { ...connection, position: from }
      const remove = consumers.add(consumer)
      const leave = recent.join(lastSeq, signal)
      try {
        if (from < outdatedSeq) yield outdated
        yield* follow(consumer, signal)
      } finally {
        leave()
        remove()
      }
    },
  }
}

/** Returns the result of `read` once it is on disk. @throws NotEnoughResources */
async function settled<T>(store: Database, read: () => T): Promise<T> {
  const { epoch } = store
  try {
    const result = read()
    await store.settled(epoch)
    return result
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    throw protocolError('NotEnoughResources', 'The server cannot write to its disk at the moment')
  }
}
