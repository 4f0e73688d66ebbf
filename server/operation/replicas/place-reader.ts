/** Lists the objects of a place, and keeps the lease of this process there. */

import { join } from 'node:path'
import { exists } from '../../store/files/blob-files.ts'
import type { Files } from '../../store/files/files.ts'
import { copiesName } from '../../store/files/layout.ts'
import { isWaiting } from '../../util/wait.ts'
import { type Content, listTimelines, readContent, type Timeline } from './catalog.ts'
import { checkHead, findElsewhere, keepLease, writeHead } from './lease.ts'
import { PlaceProblem } from './places/place.ts'
import type { ReplicatorDeps, ReplicatorState } from './replicator-state.ts'
import { elsewhereProblem } from './timeline.ts'
import { chainOf } from './ways/ways.ts'

/** How often the place is read for traces of another computer, beside the start. */
const readMs = 5 * 60_000

const emptyMark = (dataDir: string, id: string) => join(dataDir, copiesName, `${id}.accept-empty`)

/** Permits the server to begin anew at a place that had the copy and is empty. @param id names the files of the place */
export async function permitEmpty(files: Files, dataDir: string, id: string): Promise<void> {
  await (await files.create(emptyMark(dataDir, id))).close()
}

export interface PlaceReader {
  /** The timeline of this process as the place has it; undefined before the place was read. */
  readonly own: Timeline | undefined
  /** The last listing. */
  readonly content: Content | undefined
  /** Whether the last reading is too old. */
  isDue(): boolean
  /** Compares the timelines at the place with that of this process, and puts its lease there. @throws PlaceProblem `elsewhere` */
  read(): Promise<Timeline>
  /** As `read`, of a place that may be new. @throws PlaceProblem `empty` if it had the copy */
  open(): Promise<Timeline>
}

export function createPlaceReader(
  deps: ReplicatorDeps,
  state: () => ReplicatorState,
  set: (change: Partial<ReplicatorState>) => void,
): PlaceReader {
  const { store, files, dataDir, now, place, timelines, id } = deps
  let own: Timeline | undefined
  let content: Content | undefined
  let readAt = 0

  /** Writes the head of a place that has none. */
  async function begin(): Promise<void> {
    const isEmpty = (await listTimelines(place)).length === 0
    if (isEmpty) set({ seq: undefined, wholeSeq: undefined })
    // The mount point of a disk that is not connected looks the same.
    if (isEmpty && state().copiedAt && !(await exists(files, emptyMark(dataDir, id)))) {
      throw new PlaceProblem(
        'empty',
        'The copy that was at this place is no longer there. Connect its disk, or begin anew.',
      )
    }
    await writeHead(deps)
    await files.remove(emptyMark(dataDir, id))
  }

  async function read(): Promise<Timeline> {
    content = await readContent(deps)
    const listed = content.timelines
    if (own?.name !== timelines.current.name) own = undefined
    own ??= timelines.at(listed)
    // The memory of this process was rolled back, as by a snapshot of a virtual machine.
    if ((chainOf(content, own)?.seq ?? 0) > store.seq) {
      timelines.branch(store.seq)
      own = timelines.at(listed)
    }
    const lost = timelines.lostAt(content)
    const lacks = lost !== undefined
    set({ lost: lost?.isDismissed ? undefined : lost })
    const other = await findElsewhere(deps, listed, timelines, lacks, timelines.aheadIn(content))
    if (other) {
      await timelines.yieldTo(other)
      throw elsewhereProblem(other)
    }
    await timelines.beginSending()
    const { name } = own
    const names = listed.map((each) => each.name)
    const lease = {
      ...{ at: timelines.beganAt.toISOString(), lacks },
      seen: [...new Set([...names, name])].toSorted(),
    }
    await keepLease(deps, own, lease)
    readAt = now().getTime()
    return own
  }

  return {
    get own() {
      return own
    },
    get content() {
      return content
    },
    isDue: () => !isWaiting(readAt + readMs, now().getTime(), readMs),
    read,
    async open() {
      if (!(await checkHead(deps))) await begin()
      // The place has the copy again: a permission from before is out of date.
      else await files.remove(emptyMark(dataDir, id))
      return read()
    },
  }
}
