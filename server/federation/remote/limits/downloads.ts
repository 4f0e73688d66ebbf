/** Counts the bytes that are downloaded from other servers in a day. */
import { OutboundFailed } from '../../../platform/network/client.ts'
import { realElapsed } from '../../../util/deadlines.ts'
import { downloads as limits } from './numbers.ts'

export interface Downloads {
  /** Yields a body and counts its bytes. @throws OutboundFailed when the limit of the day is reached, or the host is too slow */
  count(host: string, body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>
}

const dayMs = 24 * 60 * 60_000

/** @param elapsed milliseconds by a clock that only goes forward */
export function createDownloads(now: () => Date, elapsed: () => number = realElapsed): Downloads {
  const used = new Map<string, number>()
  let total = 0
  let day = 0

  function take(host: string, bytes: number): void {
    const today = Math.floor(now().getTime() / dayMs)
    if (today !== day) {
      used.clear()
      ;[day, total] = [today, 0]
    }
    const ofHost = (used.get(host) ?? 0) + bytes
    // Bytes that the host has taken already count as remaining.
    if (ofHost > (limits.bytes - total - bytes + ofHost) * limits.shareOfHost) {
      throw new OutboundFailed(`${host}: the limit of downloads for today is reached`)
    }
    used.set(host, ofHost)
    total += bytes
  }

  return {
    async *count(host, body) {
      take(host, 0)
      const startedAt = elapsed()
      let received = 0
      for await (const chunk of body) {
        take(host, chunk.length)
        received += chunk.length
        const ms = elapsed() - startedAt
        if (ms > limits.graceMs && received < (ms / 1000) * limits.minSpeed)
          throw new OutboundFailed(`${host} sends too slowly`)
        yield chunk
      }
    },
  }
}
