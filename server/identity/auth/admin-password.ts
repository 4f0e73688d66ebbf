/** The password of the user `admin` (HTTP Basic): configured, or generated at the first start and kept in the data directory. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../platform/config/config.ts'
import { randomGroups } from '../../util/random.ts'

const fileName = 'admin-password'

export async function loadAdminPassword(config: Pick<Config, 'adminPassword' | 'dataDir'>): Promise<string> {
  if (config.adminPassword !== undefined) return config.adminPassword
  const file = join(config.dataDir, fileName)
  const stored = (await readFile(file, 'utf8').catch(ifMissing(''))).trim()
  if (stored !== '') return stored
  const generated = randomGroups(6, 4)
  await writeFile(file, `${generated}\n`, { mode: 0o600, flush: true })
  return generated
}

/** Any other error of the disk must not replace the password. */
function ifMissing<T>(value: T) {
  return (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return value
    throw error
  }
}
