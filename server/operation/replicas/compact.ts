/** Joins older segments at a place and removes what is no longer kept. Each step may be the last one: nothing is removed before what replaces it is there. */
import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import type { Serialize } from '../../platform/util/serialize.ts'
import { chainOf, endName, listTimelines, readTimeline, type Segment, type Timeline } from './catalog.ts'
import { PlaceProblem } from './places/place.ts'
import { getObject } from './receive.ts'
import { expired, isOver, joinable } from './retention.ts'
import { sendSegment, type Target } from './send.ts'

const decompress = promisify(zstdDecompress)

interface Options {
  /** The timeline that this computer continues. */
  readonly timeline: Timeline
  readonly now: Date
  /** How long weekly bases are kept. */
  readonly weeks: number
  /** Runs work while nothing else uses the place. */
  readonly betweenSteps: Serialize
  readonly signal?: AbortSignal | undefined
}

/** Does nothing while the current timeline has no base, or while another computer continues it. @throws PlaceProblem */
export async function compact(target: Target, options: Options): Promise<void> {
  const { timeline, weeks, betweenSteps, signal } = options
  const { place } = target
  const timelines = await listTimelines(place)
  const chain = chainOf(await betweenSteps(() => readTimeline(place, timeline)))
  if (timelines[0]?.name !== timeline.name || !chain) return
  // A clock that is far ahead must not make everything old: time is what was copied last.
  const now = new Date(Math.min(options.now.getTime(), chain.at.getTime()))
  const remove = async (name: string) => {
    signal?.throwIfAborted()
    await betweenSteps(() => place.remove(name))
  }
  for (const each of timelines) {
    const content = await betweenSteps(() => readTimeline(place, each))
    if (each.name !== timeline.name && isOver(content, now, weeks)) {
      for (const base of content.bases) await remove(endName(base.name))
      await remove(each.name)
      continue
    }
    for (const group of joinable(content, now)) {
      signal?.throwIfAborted()
      await betweenSteps(() => join(target, each, group))
    }
    // Read again: what was joined must be there.
    const { bases, segments } = expired(await betweenSteps(() => readTimeline(place, each)), now, weeks)
    for (const segment of segments) await remove(segment.name)
    // Without its end, a base that is removed in part is none.
    for (const { name } of bases) await remove(endName(name))
    for (const { name } of bases) await remove(name)
    for (const { name, at } of content.unfinished) {
      if (at < chain.base.at && (await place.get(endName(name))) === undefined) await remove(name)
    }
  }
}

/** Sends segments as one. Damaged ones stay as they are, for the next proof. */
async function join(target: Target, timeline: Timeline, segments: readonly Segment[]): Promise<void> {
  const [first, last] = [segments[0], segments.at(-1)]
  if (!first || !last) return
  try {
    const contents: Buffer[] = []
    for (const { name } of segments) contents.push(await decompress(await getObject(target, name)))
    const joined = { from: first.from, to: last.to, content: Buffer.concat(contents) }
    await sendSegment(target, timeline, joined, last.at)
  } catch (error) {
    if (!(error instanceof PlaceProblem && error.kind === 'damaged')) throw error
  }
}
