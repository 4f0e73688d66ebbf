/** The password of the user `admin` (HTTP Basic): configured, or generated at the first start and kept in the data directory. */
import { join } from 'node:path'
import type { Config } from '../../platform/config/config.ts'
import { type Files, nodeFiles, readIfThere, replaceFile } from '../../store/files/files.ts'
import { randomGroups } from '../../util/random.ts'

const fileName = 'admin-password'

export async function loadAdminPassword(
  config: Pick<Config, 'adminPassword' | 'dataDir'>,
  files: Files = nodeFiles,
): Promise<string> {
  if (config.adminPassword !== undefined) return config.adminPassword
  const file = join(config.dataDir, fileName)
  // Any other error of the disk must not replace the password.
  const stored = Buffer.from((await readIfThere(files, file)) ?? [])
    .toString()
    .trim()
  if (stored !== '') return stored
  const generated = randomGroups(6, 4)
  await replaceFile(files, file, Buffer.from(`${generated}\n`))
  return generated
}
