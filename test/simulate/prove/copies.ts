/** Copies of the sources, in which patches are applied. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export const root = join(import.meta.dirname, '../../..')
/** What the simulation loads. */
const copied = ['server', 'test', 'lexicons', 'build', 'package.json', 'tsconfig.json']
const prefix = 'simulate-'

/** Makes a folder for copies, which is removed when this process ends. Removes those of processes that were killed. */
export function createFolder(): string {
  removeLeftovers()
  const folder = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`))
  process.once('exit', () => remove(folder))
  return folder
}

function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = /^simulate-(\d+)-/.exec(name) ?? []
    if (pid !== undefined && !isAlive(Number(pid))) remove(join(tmpdir(), name))
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // The process of another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}

/** Compiled modules are cached in the copy, for all patches. */
export function copySources(folder: string): void {
  for (const name of copied) cpSync(join(root, name), join(folder, name), { recursive: true })
  const packages = join(root, 'node_modules')
  mkdirSync(join(folder, 'node_modules'))
  for (const name of readdirSync(packages))
    if (name !== '.cache') symlinkSync(join(packages, name), join(folder, 'node_modules', name))
}

/** Applies a patch to a copy. @returns a function that takes it back */
export function applyPatch(folder: string, patch: string): () => void {
  // Below a repository, git would leave out what a patch changes.
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(folder) }
  const apply = (...args: string[]) => execFileSync('git', ['apply', ...args, patch], { cwd: folder, env })
  apply()
  return () => void apply('--reverse')
}
