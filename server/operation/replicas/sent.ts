/**
 * What this computer has sent to a place. Anything else in its timeline comes from a copy of the data folder that goes on elsewhere: a
 * cloned disk, or a snapshot of a virtual machine that was rolled back. Both have the same timeline and the same name of the computer.
 */
import { type Files, readIfThere, replaceFile } from '../../platform/store/files.ts'
import type { Content, Timeline } from './catalog.ts'

export interface Sent {
  /** Records an object before it is sent. @param seq number of its last transaction, @param at the time in its name */
  note(timeline: Timeline, seq: number, at: Date): Promise<void>
  /** Whether this computer has sent all that a timeline has since the oldest recorded object. */
  hasAll(content: Content): Promise<boolean>
}

interface Recorded {
  readonly timeline: string
  /** Number of the last transaction and milliseconds since 1970, ascending by the time of sending. */
  readonly objects: readonly (readonly [seq: number, ms: number])[]
}

/** Attempts that failed count too, because the place may have stored them. */
const maxRecorded = 100

/** @param path file of the record */
export function createSent(files: Files, path: string): Sent {
  let recorded: Recorded | undefined

  async function load(): Promise<Recorded | undefined> {
    recorded ??= parse(await readIfThere(files, path))
    return recorded
  }

  async function save(timeline: string, objects: Recorded['objects']): Promise<void> {
    recorded = { timeline, objects: objects.slice(-maxRecorded) }
    await replaceFile(files, path, Buffer.from(`${JSON.stringify(recorded)}\n`))
  }

  return {
    async note(timeline, seq, at) {
      const known = await load()
      const objects = known?.timeline === timeline.name ? known.objects : []
      await save(timeline.name, [...objects, [seq, at.getTime()]])
    },

    async hasAll(content) {
      const known = await load()
      const there = objectsOf(content)
      const newest = there.at(-1)
      if (known?.timeline !== content.name) {
        // The place was filled before there were records.
        if (newest) await save(content.name, [newest])
        return true
      }
      const ours = new Set(known.objects.map(String))
      const oldest = known.objects[0]?.[0] ?? 0
      return there.every((object) => object[0] <= oldest || ours.has(String(object)))
    },
  }
}

/** All objects of a timeline, also those that are there in part, ascending. */
function objectsOf({ bases, unfinished, segments, cut }: Content): (readonly [number, number])[] {
  const ofBases = [...bases, ...unfinished].map(({ seq, at }) => [seq, at.getTime()] as const)
  const ofSegments = [...segments, ...cut].map(({ to, at }) => [to, at.getTime()] as const)
  return [...ofBases, ...ofSegments].sort((a, b) => a[0] - b[0])
}

/** A record that is damaged says nothing. */
function parse(bytes: Uint8Array | undefined): Recorded | undefined {
  try {
    const { timeline, objects } = JSON.parse(Buffer.from(bytes ?? '').toString())
    return typeof timeline === 'string' && Array.isArray(objects) ? { timeline, objects } : undefined
  } catch {
    return undefined
  }
}
