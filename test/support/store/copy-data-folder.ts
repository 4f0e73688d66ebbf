/** Copies the data folder of a server that runs. */
import { cp, rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { lockName } from '../../../server/store/files/layout.ts'

/** A server removes few files. */
const attempts = 20

/**
 * Copies a data folder as it would be after a crash, without the lock. Begins anew when the server has removed a file meanwhile.
 * @throws the system's error
 */
export async function copyDataFolder(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await cp(from, to, { recursive: true, filter: (path) => !basename(path).startsWith(lockName) })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === attempts) throw error
      await rm(to, { recursive: true, force: true })
    }
  }
}
