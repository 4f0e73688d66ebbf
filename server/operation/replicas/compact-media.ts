/** Removes media from a place that neither the server nor a kept moment needs. It may be cut off anywhere. */
import type { Serialize } from '../../platform/util/serialize.ts'
import { chainOf, listTimelines, readTimeline, type Timeline } from './catalog.ts'
import { weekMs } from './retention.ts'
import { listMediaParts, type Target } from './send.ts'
import type { Unreferenced } from './unreferenced.ts'

interface Options {
  /** The timeline that this computer continues. */
  readonly timeline: Timeline
  readonly unreferenced: Unreferenced
  /** Returns the hidden names of the media that the server has now. */
  readonly here: () => ReadonlySet<string>
  readonly now: Date
  /** How long moments are kept. */
  readonly weeks: number
  /** Runs work while nothing else uses the place. */
  readonly betweenSteps: Serialize
  /** Called before the media at the place change. */
  readonly onRemove: () => void
  readonly signal?: AbortSignal | undefined
}

/** A moment is kept for up to a week longer than `weeks`: see `retention.ts`. */
const marginWeeks = 2

/** Does nothing while the current timeline has no base, or while another computer continues it. @throws PlaceProblem */
export async function compactMedia({ place }: Pick<Target, 'place'>, options: Options): Promise<void> {
  const { timeline, unreferenced, here, weeks, betweenSteps, onRemove, signal } = options
  const [newest] = await listTimelines(place)
  const chain = chainOf(await betweenSteps(() => readTimeline(place, timeline)))
  if (newest?.name !== timeline.name || !chain) return
  // A clock that is far ahead must not make everything old: time is what was copied last.
  const now = new Date(Math.min(options.now.getTime(), chain.at.getTime()))
  const before = new Date(now.getTime() - (weeks + marginWeeks) * weekMs)
  // Also parts that an interrupted upload or removal has left.
  const media = await betweenSteps(() => listMediaParts(place))
  const over = await unreferenced.update(media.keys(), here(), now, before)
  for (const name of over) {
    signal?.throwIfAborted()
    await betweenSteps(async () => {
      // It may have been uploaded again.
      if (here().has(name)) return
      onRemove()
      for (const part of media.get(name) ?? []) await place.remove(part.name)
    })
  }
}
