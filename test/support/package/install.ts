/** The result of `npm run pack`, installed into an empty project without a network. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')

export const { version, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** @param work an empty folder @returns the folder of the project */
export function installPackage(work: string): string {
  execFileSync(process.execPath, [join(root, 'build/package/pack.ts'), work])
  const user = join(work, 'user')
  mkdirSync(user)
  writeFileSync(join(user, 'package.json'), '{ "private": true, "type": "module" }')
  const tarball = join(work, `desktop-pds-${version}.tgz`)
  const options = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--cache', join(work, 'cache')]
  execFileSync('npm', ['install', ...options, tarball], {
    cwd: user,
    stdio: 'pipe',
    shell: process.platform === 'win32',
  })
  return user
}
