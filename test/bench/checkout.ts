/** Another commit of this repository, built in a temporary folder. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { folder } from './folders.ts'

const root = join(import.meta.dirname, '../..')
const packages = join(root, 'node_modules')

/**
 * Returns the entry file of a built server: of a commit, which is built first, or of a folder that has one. A commit gets the
 * packages of this checkout; those that only the commit needs are installed beside it.
 */
export async function builtEntry(commit: string): Promise<string> {
  const given = entryOf(resolve(commit))
  if (existsSync(given)) return given
  const dir = await folder()
  const source = join(dir, 'source')
  run('git', ['clone', '--quiet', '--shared', '--no-checkout', root, source], dir)
  run('git', ['checkout', '--quiet', '--detach', commit], source)
  symlinkSync(packages, join(source, 'node_modules'))
  const { dependencies } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
  const missing = Object.keys(dependencies).filter((name) => !existsSync(join(packages, name)))
  const wanted = missing.map((name) => `${name}@${dependencies[name]}`)
  if (wanted.length > 0) run('npm', ['install', '--prefix', dir, ...wanted], dir)
  run('npm', ['run', '--silent', 'build'], source)
  return entryOf(source)
}

function entryOf(dir: string): string {
  return join(dir, 'dist/server/main.js')
}

function run(command: string, args: string[], cwd: string): void {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
}
