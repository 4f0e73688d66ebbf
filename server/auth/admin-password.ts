/** The password of `admin` for HTTP Basic: configured, or made at the first start and kept in the data directory. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { randomGroups } from '../util/random.ts'

const fileName = 'admin-password'

export async function loadAdminPassword(config: Pick<Config, 'adminPassword' | 'dataDir'>): Promise<string> {
  if (config.adminPassword !== undefined) return config.adminPassword
  const file = join(config.dataDir, fileName)
  const kept = await readFile(file, 'utf8').catch(() => '')
  if (kept.trim() !== '') return kept.trim()
  const made = randomGroups(6, 4)
  await writeFile(file, `${made}\n`, { mode: 0o600 })
  return made
}
