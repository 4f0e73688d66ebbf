/** Takes in the files in which earlier versions kept the older events. */
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { decode } from '@atproto/lex-cbor'
import type { Platform } from '../../platform/platform.ts'
import { type Files, readIfThere } from '../../platform/store/files.ts'
import { eventsName } from '../../platform/store/layout.ts'
import * as segments from '../../platform/store/tables/event-segments.ts'

interface Deps extends Pick<Platform, 'store' | 'log'> {
  readonly files: Files
  readonly dataDir: string
}

/**
 * Moves the events of all segment files to the table, a file in each transaction. Call it before the first request: it can be cut off
 * at any point, and the next start goes on. Events of a missing or damaged file count as deleted by retention.
 */
export async function takeInSegments({ store, log, files, dataDir }: Deps): Promise<void> {
  const folder = join(dataDir, eventsName)
  for (const segment of segments.all(store)) {
    const { name, firstSeq, lastSeq } = segment
    // DAG-CBOR, named by the SHA-256 of the content.
    const content = await readIfThere(files, join(folder, name))
    const events = content && hash('sha256', content) === name ? decode(content) : undefined
    if (!events)
      log.warn({ file: name, firstSeq, lastSeq }, 'event file is missing or damaged; its events are lost')
    await store.transact((tx) =>
      segments.takeIn(tx, segment, events as unknown as segments.SegmentEvent[] | undefined),
    )
    await files.remove(join(folder, name))
    await store.keepPace()
  }
  await files.removeDir(folder)
}
