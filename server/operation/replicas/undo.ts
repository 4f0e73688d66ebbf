/** Puts the data back that a restore replaced, with the key of their copies. */
import { basename, join } from 'node:path'
import { undoRestore } from '../../store/backups/restore.ts'
import { exists } from '../../store/files/blob-files.ts'
import { nodeFiles } from '../../store/files/files.ts'
import { replacingName } from '../../store/files/layout.ts'
import { type CredentialsKeeper, moveKeyBefore, takeKeyBack } from './credentials.ts'

export interface Undone {
  /** The folder with the data that were there. */
  readonly replaced: string
  /** Whether another key of the copies was in use. */
  readonly isOtherKey: boolean
}

/**
 * The key is changed first: an undo that is interrupted is finished by the next start, which cannot change it.
 * @param name of the folder in the data directory
 * @throws StoreLocked while a server runs there
 */
export async function undoWithKey(keeper: CredentialsKeeper, dataDir: string, name: string): Promise<Undone> {
  const folder = join(dataDir, name)
  let isOtherKey = false
  const onBegin = async () => {
    isOtherKey = await takeKeyBack(keeper, name, replacingName)
  }
  try {
    const replaced = await undoRestore({ directory: dataDir, now: () => new Date(), onBegin }, folder)
    if (isOtherKey) await moveKeyBefore(keeper, replacingName, basename(replaced))
    return { replaced, isOtherKey }
  } catch (error) {
    // Otherwise it is committed.
    if (isOtherKey && (await exists(nodeFiles, folder))) await takeKeyBack(keeper, replacingName, name)
    throw error
  }
}
