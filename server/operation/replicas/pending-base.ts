/** A base that is being sent: its file and its description stay in the data folder, so that a restart goes on with the next part. */
import { join } from 'node:path'
import type { Database } from '../../platform/store/database.ts'
import { hasSpace } from '../../platform/store/disk-space.ts'
import { type Files, readIfThere, replaceFile } from '../../platform/store/files.ts'
import { databaseName } from '../../platform/store/layout.ts'
import { PlaceProblem } from './places/place.ts'
import type { PendingBase } from './send.ts'

export interface PendingBases {
  readonly file: string
  /** Returns the base that is being sent; undefined if there is none. */
  read(): Promise<PendingBase | undefined>
  /** Begins one. @throws PlaceProblem `local` with too little free space; errors of the store */
  begin(timeline: string, at: Date): Promise<PendingBase>
  remove(): Promise<void>
}

/** A database shrinks to less than this share of its size. */
export const compressedShare = 0.6

/** @param id names the files of a place */
export function createPendingBases(
  files: Files,
  store: Database,
  { dataDir, folder, id }: { readonly dataDir: string; readonly folder: string; readonly id: string },
): PendingBases {
  const file = join(folder, `${id}.base.zst`)
  const description = join(folder, `${id}.base.json`)

  async function remove(): Promise<void> {
    await files.remove(description)
    await files.remove(file)
  }

  return {
    file,
    remove,
    async read() {
      const bytes = await readIfThere(files, description)
      try {
        return bytes && JSON.parse(Buffer.from(bytes).toString())
      } catch {
        return undefined
      }
    },
    async begin(timeline, at) {
      await remove()
      const needed = (await files.size(join(dataDir, databaseName))) * compressedShare
      if (!(await hasSpace(files, dataDir, needed))) {
        throw new PlaceProblem(
          'local',
          'This disk has too little free space to copy the database. Free disk space.',
        )
      }
      try {
        const { seq, schema, sha256 } = await store.copyTo(file)
        const pending = { timeline, seq, at: at.toISOString(), schema, sha256 }
        await replaceFile(files, description, Buffer.from(`${JSON.stringify(pending)}\n`))
        return pending
      } catch (error) {
        await remove().catch(() => {})
        throw error
      }
    },
  }
}

/** Removes databases that an earlier run has left without a description, or for a place that is no longer one. */
export async function removeLeftovers(files: Files, folder: string, ids: readonly string[]): Promise<void> {
  const names = await files.list(folder)
  const isNeeded = (name: string) => {
    const id = name.replace(/\.base\.zst$/, '')
    return ids.includes(id) && names.includes(`${id}.base.json`)
  }
  for (const name of names) {
    if (/\.zst(\..*)?$/.test(name) && !isNeeded(name)) await files.remove(join(folder, name))
    if (name.endsWith('.proof')) await files.removeDir(join(folder, name))
  }
}
