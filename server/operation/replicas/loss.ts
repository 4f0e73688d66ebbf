/** The loss of a restore: changes that the place lists and that the way does not reach. */
import { type Content, generationOf } from './catalog.ts'
import { isAt } from './ways/newest.ts'
import { type Chain, limitsOf, waysTo } from './ways/ways.ts'

/** Earlier states of other timelines that a sentence about a loss names, at most. */
const statesInLoss = 3

/** Describes the time up to which a way leads, and listed later changes; undefined if there are none. */
export function lossOf(content: Content, chain: Chain, until: Date | undefined): string | undefined {
  const { timeline, seq, at } = chain
  // The time of a listed state names it, whatever its generation.
  if (isAt(chain, until)) return undefined
  const isChosen = (one: { at: Date }) => isAt(one, until)
  const limits = limitsOf(content.timelines, timeline)
  const isNewer = (one: { timeline: string; at: Date } & ({ to: number } | { seq: number })) => {
    const generation = generationOf(one.timeline)
    if (until !== undefined && one.at > until) return false
    if (isChosen(one)) return true
    // Its time may be of a clock that was ahead.
    const last = 'to' in one ? one.to : one.seq
    const limit = limits.get(one.timeline) ?? -1
    if (last <= Math.min(seq, limit)) return false
    // It continues the restored state: the clock may have been set back before it.
    if (last <= limit) return true
    return generation > timeline.generation || (generation === timeline.generation && one.at > at)
  }
  const bases = [...content.bases, ...content.unfinished].filter(
    (base) =>
      isNewer(base) &&
      (isChosen(base) || base.seq > seq || generationOf(base.timeline) > timeline.generation),
  )
  const later = [...bases, ...[...content.segments, ...content.cut].filter(isNewer)]
  if (later.length === 0) return undefined
  const newest = new Date(Math.max(...later.map((one) => one.at.getTime())))
  const others = new Map<string, Date>()
  for (const way of waysTo(content, until)) {
    if (way.timeline.name !== timeline.name && !others.has(way.timeline.name) && way.at < at) {
      others.set(way.timeline.name, way.at)
    }
    if (others.size === statesInLoss) break
  }
  const sentences = [
    `The copy can be restored as of ${minuteOf(at)}.`,
    `${later.length} object${later.length === 1 ? '' : 's'} with later changes cannot be used, because some are damaged or missing. The newest change in them is of ${minuteOf(newest)}.`,
  ]
  if (others.size > 0) {
    const times = [...others.values()].map(minuteOf)
    sentences.push(`Earlier states of it end at ${times.join(', ')}.`)
  }
  return sentences.join(' ')
}

function minuteOf(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
