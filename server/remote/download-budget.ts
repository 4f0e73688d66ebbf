/** Limits how much is downloaded from other servers in a day. */
import { OutboundFailed } from '../network/guarded-fetch.ts'

export interface DownloadBudget {
  /** Yields a body and counts its bytes. @throws OutboundFailed when the limit of the day is reached */
  count(host: string, body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>
}

const dayMs = 24 * 60 * 60_000
/** Bytes from all hosts. */
const maxBytes = 2_000_000_000
/** Bytes from one host. */
const maxHostBytes = 1_000_000_000

export function createDownloadBudget(now: () => Date): DownloadBudget {
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
    if (ofHost > maxHostBytes || total + bytes > maxBytes) {
      throw new OutboundFailed(`${host}: the limit of downloads for today is reached`)
    }
    used.set(host, ofHost)
    total += bytes
  }

  return {
    async *count(host, body) {
      take(host, 0)
      for await (const chunk of body) {
        take(host, chunk.length)
        yield chunk
      }
    },
  }
}
