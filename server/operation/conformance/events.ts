/** The event stream of the server, read as a relay reads it. */
import { decodeAll } from '@atproto/lex-cbor'
import { CborReader } from '../../federation/upstreams/cbor.ts'
import { openStream, type StreamEnd } from '../../platform/network/websocket.ts'
import { clearDeadline, setDeadline } from '../../util/deadlines.ts'
import type { Target } from './target.ts'
import { Failed, Skipped } from './verdict.ts'

export interface Message {
  readonly op: number
  /** Such as `#commit`; undefined for errors. */
  readonly type: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: each type has its own members
  readonly body: any
  readonly bytes: Buffer
}

export interface Events {
  /** All messages so far. */
  readonly messages: readonly Message[]
  /** How the connection ended; undefined while it is open. */
  readonly ended: StreamEnd | undefined
  /** Resolves when `isDone`, when the connection has ended, or after `ms`. @throws Failed for a message that cannot be read, Skipped for too many */
  until(isDone: () => boolean, ms?: number): Promise<void>
  close(): void
}

export const subscription = 'com.atproto.sync.subscribeRepos'
/** Messages and bytes of one connection that are kept: a server may send its whole history at once. */
const maxMessages = 20_000
const maxBytes = 64_000_000
/** Parts of all messages of one connection: each takes up to 100 bytes of memory, and may have been one byte. */
const maxItems = 2_000_000
/** Milliseconds that an event may take. */
const patienceMs = 5000

/** Connects and resolves when the connection is open, or was refused. @param query such as `?cursor=0` */
export async function openEvents(target: Target, query = ''): Promise<Events> {
  target.checkTime()
  const messages: Message[] = []
  let size = 0
  let items = 0
  let ended: StreamEnd | undefined
  let flaw: Failed | Skipped | undefined
  let wake = () => {}
  const opened = Promise.withResolvers<void>()
  const { signal } = target
  const interrupt = () => wake()
  signal?.addEventListener('abort', interrupt)
  const stream = openStream(`${target.url}/xrpc/${subscription}${query}`, {
    allowPrivate: true,
    onOpen: opened.resolve,
    onMessage(bytes) {
      if (flaw) return
      size += bytes.length
      try {
        items += itemsOf(bytes)
        if (messages.length >= maxMessages || size > maxBytes || items > maxItems)
          throw new Skipped(
            `the event stream has more than ${maxMessages} messages, ${maxBytes / 1_000_000} MB or ${maxItems} values`,
          )
        messages.push(readMessage(bytes))
      } catch (error) {
        flaw = error instanceof Skipped ? error : new Failed((error as Error).message)
        stream.close()
      }
      wake()
    },
    onEnd(end) {
      ended = end
      opened.resolve()
      wake()
    },
  })
  await opened.promise
  return {
    messages,
    get ended() {
      return ended
    },
    async until(isDone, ms = patienceMs) {
      const { promise, resolve } = Promise.withResolvers<void>()
      wake = () => {
        if (flaw || ended || signal?.aborted || isDone()) resolve()
      }
      const deadline = setDeadline(resolve, ms)
      wake()
      await promise
      clearDeadline(deadline)
      wake = () => {}
      if (flaw) throw flaw
    },
    close() {
      signal?.removeEventListener('abort', interrupt)
      stream.close()
    },
  }
}

/** Counts the values in a message before any of them is created. @throws InvalidCbor */
function itemsOf(bytes: Buffer): number {
  const reader = new CborReader(bytes)
  while (reader.at < bytes.length) reader.skip()
  return reader.items
}

/** @throws if it is not a header and a payload in DAG-CBOR */
function readMessage(bytes: Buffer): Message {
  const [header, body, ...rest] = [...decodeAll(bytes)] as [{ op: number; t?: string }, unknown, ...unknown[]]
  if (typeof header?.op !== 'number' || typeof body !== 'object' || body === null || rest.length > 0)
    throw new Error('a message is not a header and a payload')
  return { op: header.op, type: header.t, body, bytes }
}
