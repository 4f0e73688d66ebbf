/** The password of `admin` for HTTP Basic: configured, or made at the first start and kept in the data directory. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { randomGroups } from './random.ts'

const fileName = 'admin-password'

export async function loadAdminPassword(config: Pick<Config, 'adminPassword' | 'dataDir'>): Promise<string> {
  if (config.adminPassword !== undefined) return config.adminPassword
  const file = join(config.dataDir, fileName)
  const made = randomGroups(6, 4)
  // `wx` makes the file only when there is none, so that two starts cannot overwrite each other's.
  await writeFile(file, `${made}\n`, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  return (await readFile(file, 'utf8')).trim()
}
