/** Removes media from a place that neither the server nor a kept restore point needs. It may be cut off anywhere. */
import type { CleanUps } from './clean-ups.ts'
import { type CompactOptions, readOwn } from './compact.ts'
import type { MediaNames } from './media-names.ts'
import type { Replicator } from './replicator.ts'
import { weekMs } from './retention.ts'
import { listMediaParts, type Target } from './send.ts'
import type { Unreferenced } from './unreferenced.ts'

interface Options extends Omit<CompactOptions, 'cleanUps'> {
  readonly cleanUps: Pick<CleanUps, 'isSteady'>
  /** Its `forget` is called before the media at the place change. */
  readonly replicator: Pick<Replicator, 'read' | 'betweenSteps' | 'forget'>
  readonly unreferenced: Unreferenced
  /** The media that the server has now. */
  readonly mediaNames: Pick<MediaNames, 'read' | 'marked'>
}

/** A restore point is kept for up to a week longer than `weeks`: see `retention.ts`. */
const marginWeeks = 2

/** Needs a base at the place, and ends at once if another computer continues the server. @throws PlaceProblem */
export async function compactMedia(target: Target, options: Options): Promise<void> {
  const { place } = target
  const { replicator, unreferenced, mediaNames, cleanUps, weeks, signal } = options
  const own = await readOwn(options)
  if (!own) return
  const before = new Date(own.now.getTime() - (weeks + marginWeeks) * weekMs)
  // Also parts that an interrupted upload or removal has left.
  const media = await replicator.betweenSteps(() => listMediaParts(target))
  // The place may have the only file of those that are marked as missing.
  const here = new Set((await mediaNames.read()).flatMap((group) => [...group.keys()]))
  const marked = mediaNames.marked()
  const has = (name: string) => here.has(name) || marked.has(name)
  const over = await unreferenced.update(media.keys(), { has }, own.now, before)
  if (!cleanUps.isSteady) return
  for (const name of over) {
    signal?.throwIfAborted()
    await replicator.betweenSteps(async () => {
      // It may have been uploaded again.
      const groups = await mediaNames.read()
      if (groups.some((group) => group.has(name)) || mediaNames.marked().has(name)) return
      replicator.forget()
      for (const part of media.get(name) ?? []) await place.remove(part.name)
    })
  }
}
