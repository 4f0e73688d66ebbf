/** Decides when an upstream is no longer read: it sends what proves nothing, or too much. */

export interface Trust {
  /** Counts an event that concerns this server. @param at when its upstream says it happened, as text */
  received(at: string): void
  /** Counts an event that was verified. */
  examined(isValid: boolean): void
  /** Why the upstream must be cut off; undefined if it need not be. */
  readonly breach: string | undefined
}

/** Invalid events among the last ones that were examined. */
const maxInvalid = 20
const examinedEvents = 1000
/** Events a second that concern this server. */
const maxRate = 2000
/** Milliseconds after which an event counts as replayed: a server sends those as fast as it can. */
const replayedMs = 60_000

export function createTrust(now: () => Date): Trust {
  /** Whether each of the last events was valid; the oldest is replaced. */
  const examined: boolean[] = []
  let next = 0
  let invalid = 0
  let second = 0
  let inSecond = 0
  let breach: string | undefined

  return {
    get breach() {
      return breach
    },
    received(at) {
      const time = now().getTime()
      if (!(Math.abs(time - Date.parse(at)) < replayedMs)) return
      const present = Math.floor(performance.now() / 1000)
      if (present !== second) [second, inSecond] = [present, 0]
      if (++inSecond > maxRate)
        breach = `It sent more than ${maxRate} events a second that concern this server`
    },
    examined(isValid) {
      if (examined[next] === false) invalid--
      examined[next] = isValid
      next = (next + 1) % examinedEvents
      if (!isValid && ++invalid >= maxInvalid)
        breach = `It sent ${maxInvalid} events that are not validly signed`
    },
  }
}
