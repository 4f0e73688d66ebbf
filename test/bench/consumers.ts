/**
 * `node consumers.ts URL COUNT`: consumers of an event stream, in a process of their own. Sends a message when all are connected,
 * and answers each message with the figures since the previous one.
 */
import { decodeAll } from '@atproto/lex-cbor'
import { WebSocket } from 'ws'
import { median, quantile } from './statistics.ts'

export interface Arrived {
  /** Events that every consumer has received. */
  readonly events: number
  /** Milliseconds from the time of an event, which is before it is on disk, to its arrival. */
  readonly median: number
  readonly p99: number
  /** From the first to the last of them. */
  readonly seconds: number
}

const [, , url = '', count = ''] = process.argv
const counts: number[] = []
let lags: number[] = []
let [first, last] = [0, 0]

async function connect(index: number): Promise<void> {
  const socket = new WebSocket(url)
  counts[index] = 0
  socket.on('message', (data: Buffer) => {
    counts[index] = (counts[index] ?? 0) + 1
    last = performance.now()
    first ||= last
    const [, payload] = decodeAll(data) as Iterable<{ time?: string }>
    if (payload?.time) lags.push(performance.timeOrigin + performance.now() - Date.parse(payload.time))
  })
  await new Promise<void>((resolve, reject) => socket.on('open', resolve).on('error', reject))
}

await Promise.all(Array.from({ length: Number(count) }, (_, index) => connect(index)))
process.on('message', () => {
  const arrived: Arrived = {
    events: Math.min(...counts),
    median: median(lags),
    p99: quantile(lags, 0.99),
    seconds: (last - first) / 1000,
  }
  process.send?.(arrived)
  counts.fill(0)
  lags = []
  first = 0
})
process.send?.('connected')
