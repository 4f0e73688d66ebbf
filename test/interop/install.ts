/** Installs the reference servers, once for each version of `reference/`, into a folder outside the project. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, readdir, readFile, rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const source = join(import.meta.dirname, 'reference')

/** Returns the folder with the installed programs. */
export async function installReference(): Promise<string> {
  const folder = join(tmpdir(), `desktop-pds-interop-${await version()}`)
  if (await exists(folder)) return folder
  const staging = `${folder}-${process.pid}`
  await cp(source, staging, { recursive: true })
  // Without install scripts: nothing is compiled or downloaded besides the packages.
  const npm = spawnSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: staging,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (npm.status !== 0) throw new Error(`npm install failed in ${staging}`)
  await rename(staging, folder)
  return folder
}

/** The hash of every file in `reference/`. */
async function version(): Promise<string> {
  const hash = createHash('sha256')
  const files = await readdir(source, { recursive: true, withFileTypes: true })
  const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name))
  for (const path of paths.sort()) hash.update(await readFile(path))
  return hash.digest('hex').slice(0, 12)
}

async function exists(folder: string): Promise<boolean> {
  return readdir(folder).then(
    () => true,
    () => false,
  )
}
