/** Sends the media that a place lacks. */

import { join } from 'node:path'
import { blobsName } from '../../store/files/layout.ts'
import { realElapsed } from '../../util/deadlines.ts'
import { during } from '../../util/during.ts'
import { isWaiting } from '../../util/wait.ts'
import type { MediaGroup } from './media-names.ts'
import type { ReplicatorDeps, ReplicatorState } from './replicator-state.ts'
import { listMedia, sendMedia } from './send.ts'

/** How often the place is read for its media, beside the start. */
const mediaMs = 24 * 60 * 60_000

interface Known {
  readonly readAt: number
  /** Hidden names of the media that are there. */
  readonly there: Set<string>
  /** The last comparison. */
  groups: readonly MediaGroup[]
  /** The groups of which all media are there. */
  complete: ReadonlySet<MediaGroup>
}

export function createMediaCopier(deps: ReplicatorDeps, set: (change: Partial<ReplicatorState>) => void) {
  const { files, dataDir, now, mediaNames, unreferenced, besideMs } = deps
  let media: Known | undefined

  /** @param keepUp continues the copy of transactions meanwhile */
  async function copy(keepUp: () => Promise<void>): Promise<void> {
    const groups = await mediaNames.read()
    if (media && !isWaiting(media.readAt + mediaMs, now().getTime(), mediaMs)) media = undefined
    media ??= await list()
    const known = media
    const { there, complete } = known
    if (known.groups === groups) return
    const names = groups.filter((group) => !complete.has(group)).flatMap((group) => [...group])
    await unreferenced?.seen(names.map(([name]) => name))
    const missing = names.filter(([name]) => !there.has(name))
    let left = missing.length
    let missingHere = 0
    let keptUpAt = realElapsed()
    const keepUpMeanwhile = async () => {
      await keepUp()
      keptUpAt = realElapsed()
    }
    for (const [name, cid] of missing) {
      set({ missingMedia: left })
      const sending = sendMedia(deps, files, join(dataDir, blobsName), cid)
      if (await during(sending, besideMs, keepUpMeanwhile)) there.add(name)
      else if (mediaNames.has(cid)) missingHere++
      left--
      if (realElapsed() - keptUpAt >= besideMs) await keepUpMeanwhile()
    }
    set({ missingMedia: 0, missingHere })
    const isComplete = (group: MediaGroup) =>
      complete.has(group) || [...group.keys()].every((name) => there.has(name))
    known.groups = groups
    known.complete = new Set(groups.filter(isComplete))
  }

  async function list(): Promise<Known> {
    const there = new Set((await listMedia(deps)).keys())
    return { readAt: now().getTime(), there, groups: [], complete: new Set() }
  }

  return {
    copy,
    /** Makes the next call list the media of the place again. */
    forget() {
      media = undefined
    },
  }
}
