/** Free space of a disk, for what is written beside the data of a server. */
import type { Files } from '../files.ts'

/** In bytes. */
const reserve = 1024 ** 3

/**
 * Whether a folder has space for `bytes`, and beside them a reserve for the server: 1 GB, or as many bytes if that is less.
 * @param freed bytes that would become free before
 */
export async function hasSpace(files: Files, folder: string, bytes: number, freed = 0): Promise<boolean> {
  return (await files.freeBytes(folder)) + freed >= bytes + Math.min(reserve, bytes)
}
