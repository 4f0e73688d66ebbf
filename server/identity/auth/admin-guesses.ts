/** Limits wrong admin passwords. */
import type { Caller } from '../../platform/xrpc/method.ts'
import { guessLimiter } from '../../platform/xrpc/rate-limit.ts'

const seconds = 5 * 60
const perSource = 30
/** Of all sources outside of this computer. A botnet has many addresses, and a program here can make them up at the port of proxies. */
const outside = 300
/** Most sources that are exempt from the limit of all together. */
const maxProven = 100

type Sender = Pick<Caller, 'source' | 'isLocal'>

/**
 * Creates the limiter: per source, and for all sources outside of this computer together. The latter does not apply to sources that
 * have sent the right password since the start of the server, so that a flood of wrong ones leaves the owner in.
 * @throws RateLimitExceeded
 */
export function createAdminGuesses(): (sender: Sender, isRight: boolean) => void {
  const ofSource = guessLimiter({ points: perSource, seconds })
  const ofAll = guessLimiter({ points: outside, seconds })
  const proven = new Set<string>()
  return ({ source, isLocal }, isRight) => {
    ofSource(source, isRight)
    if (isLocal || proven.has(source)) return
    ofAll('outside', isRight)
    if (!isRight) return
    proven.add(source)
    const [oldest] = proven
    if (oldest !== undefined && proven.size > maxProven) proven.delete(oldest)
  }
}
