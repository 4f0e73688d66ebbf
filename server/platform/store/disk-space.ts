/** The space that is left on the disk of the data folder. */
import { statfs } from 'node:fs/promises'

/** Returns the bytes that this process may still write in a folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
