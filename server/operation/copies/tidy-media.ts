/** Removes media from a place that neither the server nor a kept moment needs. It may be cut off anywhere. */
import type { Serialize } from '../../platform/util/serialize.ts'
import { chainOf, type Line, listLines, readLine } from './catalog.ts'
import { weekMs } from './retention.ts'
import { listMediaParts, type Target } from './send.ts'
import type { Unreferenced } from './unreferenced.ts'

interface Options {
  /** The line that this computer continues. */
  readonly line: Line
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

/** Does nothing while the current line has no base, or while another computer continues it. @throws CopyProblem */
export async function tidyMedia({ place }: Pick<Target, 'place'>, options: Options): Promise<void> {
  const { line, unreferenced, here, weeks, betweenSteps, onRemove, signal } = options
  const [newest] = await listLines(place)
  const chain = chainOf(await betweenSteps(() => readLine(place, line)))
  if (newest?.name !== line.name || !chain) return
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
