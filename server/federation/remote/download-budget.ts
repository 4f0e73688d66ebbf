/** Limits how much is downloaded from other servers in a day. */
import { OutboundFailed } from '../../platform/network/client.ts'

export interface DownloadBudget {
  /** Yields a body and counts its bytes. @throws OutboundFailed when the limit of the day is reached, or the host is too slow */
  count(host: string, body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>
}

const dayMs = 24 * 60 * 60_000
/** Bytes from all hosts. */
const maxBytes = 2_000_000_000
/** The share of the day's remaining bytes that one host may take, so that some are always left for others. */
const hostShare = 1 / 4
/** Milliseconds of a download after which it must have reached the slowest permitted speed. */
const graceMs = 60_000
/** Bytes a second: a slower host would hold one of few places for a quarter of an hour. */
const minSpeed = 20_000

/** @param elapsed milliseconds by a clock that only goes forward */
export function createDownloadBudget(
  now: () => Date,
  elapsed: () => number = () => performance.now(),
): DownloadBudget {
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
    if (ofHost > (maxBytes - total - bytes + ofHost) * hostShare) {
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
        if (ms > graceMs && received < (ms / 1000) * minSpeed)
          throw new OutboundFailed(`${host} sends too slowly`)
        yield chunk
      }
    },
  }
}
