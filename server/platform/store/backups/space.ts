/** Free space of a disk, for what is written beside the data of a server. */
import type { Files } from '../files.ts'

/** In bytes. */
const reserve = 1024 ** 3

/** Whether a folder has space for `bytes`, and beside them a reserve for the server: 1 GB, or as many bytes if that is less. */
export async function hasSpace(files: Files, folder: string, bytes: number): Promise<boolean> {
  return (await files.freeBytes(folder)) >= bytes + Math.min(reserve, bytes)
}
