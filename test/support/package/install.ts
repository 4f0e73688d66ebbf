/** The result of `npm run pack`, installed into an empty project without a network. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { vi } from 'vitest'

const root = join(import.meta.dirname, '../../..')

export const { version, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** Time limit of hooks that call `installPackage`: a busy computer takes minutes. */
export const installMs = 10 * 60_000

/**
 * Copies the installed package. The first test file of a run makes it, the others wait for it.
 * @param work an empty folder
 * @returns the folder of the project
 */
export async function installPackage(work: string): Promise<string> {
  const user = join(work, 'user')
  cpSync(await sharedProject(), user, { recursive: true, verbatimSymlinks: true })
  return user
}

async function sharedProject(): Promise<string> {
  const folder = process.env.PDS_TEST_PACKAGE
  if (folder === undefined) throw new Error('build/test-servers.ts creates the folder of the package')
  const [project, outcome] = [join(folder, 'user'), join(folder, 'outcome')]
  if (isFirst(folder)) {
    try {
      make(folder, project)
      writeFileSync(outcome, '')
    } catch (error) {
      writeFileSync(outcome, String(error))
      throw error
    }
  }
  await vi.waitUntil(() => existsSync(outcome), { timeout: installMs, interval: 200 })
  const failure = readFileSync(outcome, 'utf8')
  if (failure !== '') throw new Error(`The package could not be made: ${failure}`)
  return project
}

/** Whether no other process has called this before. */
function isFirst(folder: string): boolean {
  try {
    mkdirSync(join(folder, 'begun'))
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

function make(folder: string, project: string): void {
  execFileSync(process.execPath, [join(root, 'build/package/pack.ts'), folder])
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }')
  const tarball = join(folder, `desktop-pds-${version}.tgz`)
  const options = [
    '--offline',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--cache',
    join(folder, 'cache'),
  ]
  execFileSync('npm', ['install', ...options, tarball], {
    cwd: project,
    stdio: 'pipe',
    shell: process.platform === 'win32',
  })
}
