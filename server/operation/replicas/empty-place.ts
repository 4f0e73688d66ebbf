/** A place that had the copy and is empty: the mount point of a disk that is not connected looks the same. */
import { join } from 'node:path'
import { exists } from '../../platform/store/blob-files.ts'
import type { Files } from '../../platform/store/files.ts'
import { copiesName } from '../../platform/store/layout.ts'

const pathOf = (dataDir: string, id: string) => join(dataDir, copiesName, `${id}.accept-empty`)

/** Permits the server to begin anew there. @param id names the files of the place */
export async function permitEmpty(files: Files, dataDir: string, id: string): Promise<void> {
  await (await files.create(pathOf(dataDir, id))).close()
}

export function isEmptyPermitted(files: Files, dataDir: string, id: string): Promise<boolean> {
  return exists(files, pathOf(dataDir, id))
}

/** Ends the permission: the place is no longer empty. */
export async function forbidEmpty(files: Files, dataDir: string, id: string): Promise<void> {
  await files.remove(pathOf(dataDir, id))
}
