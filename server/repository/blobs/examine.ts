/** Finds out whether the file of a blob is intact, and repairs it from its copy in the backups, or that copy from it. */
import { exists, isIntact, placeBlob } from '../../store/files/blob-files.ts'
import type { Files } from '../../store/files/files.ts'
import { temporarySuffix } from '../../store/files/layout.ts'

/**
 * `repaired`: the backups had a good copy. `backup repaired`: the file is intact, and their copy was not.
 * `damaged`: no good copy is left.
 */
export type Examined = 'intact' | 'repaired' | 'backup repaired' | 'damaged'

/**
 * Reads the file at `path`; and its copy in the backups at `kept`, unless both are names of one file: such files share
 * every damage. The caller sees to it that nothing else changes the file meanwhile. @param temporary a free name for a link
 */
export async function examineBlob(
  files: Files,
  { cid, path, kept, temporary }: { cid: string; path: string; kept: string; temporary: string },
): Promise<Examined> {
  const [isThere, isKept] = [await exists(files, path), await exists(files, kept)]
  const isShared = isThere && isKept && (await files.isSame(path, kept))
  const isGood = isThere && (await isReadable(files, path, cid))
  if (isShared || !isKept) return isGood ? 'intact' : 'damaged'
  const isCopyGood = await isReadable(files, kept, cid)
  if (isGood && !isCopyGood) await replaceByLink(files, path, kept, cid, `${kept}${temporarySuffix}`)
  if (!isGood && isCopyGood) await replaceByLink(files, kept, path, cid, temporary)
  if (isGood) return isCopyGood ? 'intact' : 'backup repaired'
  return isCopyGood ? 'repaired' : 'damaged'
}

/** As `isIntact`, but false for a file that the disk fails to read. */
async function isReadable(files: Files, path: string, cid: string): Promise<boolean> {
  try {
    return await isIntact(files, path, cid)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EIO') return false
    throw error
  }
}

async function replaceByLink(
  files: Files,
  from: string,
  to: string,
  cid: string,
  temporary: string,
): Promise<void> {
  // A link of an earlier process may have been left.
  await files.remove(temporary)
  await files.link(from, temporary)
  await placeBlob(files, temporary, to, cid)
}
