/**
 * Files of older events. Each is DAG-CBOR, named by the SHA-256 of its content, so no file ever changes and damage is noticed.
 */
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { decode } from '@atproto/lex-cbor'
import { type Files, readIfThere, replaceFile } from '../../platform/store/files.ts'
import { eventsName, isSegmentName } from '../../platform/store/layout.ts'
import type { StoredEvent } from '../../platform/store/tables/events.ts'
import { createSegmentEncoder, type EventBatches } from './segment-encoder.ts'

export interface ArchivedEvent extends StoredEvent {
  readonly did: string
}

export interface SegmentFiles {
  /** Writes events to a file, after the last batch was read. Returns its name once it is on disk. */
  write(batches: EventBatches): Promise<string>
  /** Returns the events of a file; undefined if it is missing or damaged. */
  read(name: string): Promise<ArchivedEvent[] | undefined>
  remove(name: string): Promise<void>
  /** Names of all files, including leftovers of a crash. */
  list(): Promise<string[]>
}

export function createSegmentFiles({
  files,
  dataDir,
}: {
  readonly files: Files
  readonly dataDir: string
}): SegmentFiles {
  const folder = join(dataDir, eventsName)
  const encoder = createSegmentEncoder()
  return {
    write: (batches) =>
      encoder.encode(batches, async (content) => {
        const name = sha256(content)
        await files.makeDir(folder)
        await replaceFile(files, join(folder, name), content)
        return name
      }),
    async read(name) {
      const content = await readIfThere(files, join(folder, name))
      return content && sha256(content) === name ? (decode(content) as unknown as ArchivedEvent[]) : undefined
    },
    remove: (name) => files.remove(join(folder, name)),
    list: async () => (await files.list(folder)).filter(isSegmentName),
  }
}

function sha256(content: Uint8Array): string {
  return hash('sha256', content)
}
