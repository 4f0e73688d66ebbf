/** A database on a simulated disk that is damaged and salvaged. */
import { join } from 'node:path'
import { makeBackup } from '../../../server/operation/replicas/local/backups.ts'
import { backupPages } from '../../../server/operation/replicas/replica-pages.ts'
import { type SalvagePlan, salvage } from '../../../server/store/backups/salvage.ts'
import type { Schema } from '../../../server/store/database/migrate.ts'
import { Database } from '../../../server/store/database.ts'
import type { FaultyDisk } from './faulty-disk.ts'

const directory = '/data'
/** The file of the database. */
export const path = join(directory, 'pds.sqlite')
export const pageBytes = 4096

/** Returns a copy of a disk, with bits of bytes of the database flipped. @param offsets of the bytes */
export function flipped(disk: FaultyDisk, ...offsets: readonly number[]): FaultyDisk {
  const copy = disk.clone()
  const content = copy.content(path)
  for (const at of offsets) content[at] = (content[at] ?? 0) ^ 1
  return copy
}

/** How data of a schema are opened, backed up and salvaged. */
export function dataOf(schema: Schema, now: () => Date) {
  return {
    open: (disk: FaultyDisk) =>
      Database.open({ directory, schema, now, files: disk.files, reserveBytes: pageBytes }),

    backUp: (db: Database, { files }: FaultyDisk) =>
      makeBackup({ dataDir: directory, now, store: db, files }),

    async salvage(disk: FaultyDisk): Promise<SalvagePlan> {
      let plan: SalvagePlan | undefined
      await salvage({
        ...{ directory, schema, now, files: disk.files },
        sources: [backupPages(directory, disk.files)],
        confirm: async (stated) => {
          plan = stated
          return true
        },
      })
      if (!plan) throw new Error('nothing was asked')
      return plan
    },
  }
}
