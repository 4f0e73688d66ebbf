/** Restores what a place truly has to a new computer, and reads it there. Nothing fails meanwhile. */
import { dirname } from 'node:path'
import { bringBack } from '../../../server/operation/replicas/bring-back.ts'
import type { Place } from '../../../server/operation/replicas/places/place.ts'
import { createSealer } from '../../../server/operation/replicas/sealer.ts'
import type { Reader } from '../../../server/store/pages/reader.ts'
import { FaultyDisk } from '../../support/store/faulty-disk.ts'
import { type Content, contentOf } from './content.ts'
import { dataDir } from './machine.ts'
import { keyOfCopies, type PlaceHost } from './place-host.ts'
import { currentProcess, outside } from './wire.ts'
import type { World } from './world.ts'

export interface Trial {
  /** Number of the last transaction. */
  readonly seq: number
  readonly at: Date
  readonly content: Content
  /** Media that the place lacks. */
  readonly missing: readonly string[]
  /** What the restore says to leave out. */
  readonly losses: readonly string[]
}

/** @param until the newest state up to this time is restored @returns the restored state, or why there is none */
export async function tryRestore(world: World, host: PlaceHost, until?: Date): Promise<Trial | Error> {
  const sealer = createSealer(await keyOfCopies(), { isInline: true })
  const losses: string[] = []
  let opened: Pick<Trial, 'seq' | 'content'> | undefined
  const work = currentProcess.run(outside, () =>
    bringBack({
      ...{ target: { place: placeOf(host.objects), sealer }, dataDir, now: world.time.clock.now },
      files: new FaultyDisk().files,
      at: until,
      confirmLoss: async (loss) => losses.push(loss) > 0,
      onOpened(sqlite: Reader, { seq }) {
        opened = { seq, content: contentOf(sqlite) }
      },
    }),
  )
  try {
    const { at, missing } = await world.drive(work)
    return opened ? { at, missing, losses, ...opened } : new Error('the restore opens nothing')
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** A place in memory. */
function placeOf(objects: ReadonlyMap<string, Uint8Array>): Place {
  const refuse = async () => {
    throw new Error('a restore changes nothing at the place')
  }
  return {
    async list(folder) {
      const found = new Map<string, number | undefined>()
      for (const [name, { length }] of objects) {
        if (folder !== '' && !name.startsWith(`${folder}/`)) continue
        const rest = folder === '' ? name : name.slice(folder.length + 1)
        const isObject = folder === '' ? dirname(name) === '.' : dirname(name) === folder
        found.set(rest.split('/')[0] as string, isObject ? length : undefined)
      }
      return [...found].map(([name, bytes]) => ({ name, bytes }))
    },
    get: async (name) => objects.get(name),
    size: async (name) => objects.get(name)?.length,
    ...{ put: refuse, remove: refuse },
  }
}
