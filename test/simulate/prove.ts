/** Shows that the simulation can fail: it must find each deliberate fault. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { type DeliberateFault, deliberateFaults } from './deliberate-faults.ts'

const root = join(import.meta.dirname, '../..')
/** What the simulation loads. */
const copied = ['server', 'test', 'lexicons', 'build', 'package.json', 'tsconfig.json']

export interface ProveOptions {
  /** Names of faults; undefined for all. */
  readonly names: readonly string[] | undefined
  /** Seeds after which a fault counts as not found. */
  readonly limit: number
  readonly steps: number
}

interface Found {
  /** All before it hold. */
  readonly seed: number
  readonly violation: string
}

/** The simulation of the present fault. */
let running: ChildProcess | undefined

/** Simulates seeds with each fault in a copy of the sources until one fails, and prints a table. @returns whether all were found */
export async function prove(options: ProveOptions): Promise<boolean> {
  const { names, limit } = options
  const faults = deliberateFaults().filter(({ name }) => names?.includes(name) ?? true)
  removeLeftovers()
  const folder = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`))
  process.once('exit', () => {
    if (running) kill(running)
    remove(folder)
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1))
  copySources(folder)
  const rows: string[] = []
  let missed = 0
  for (const one of faults) {
    const begun = performance.now()
    const found = await find(folder, one, options)
    const seconds = Math.round((performance.now() - begun) / 1000)
    const words = found?.violation ?? `NOT FOUND in ${limit} seeds of ${options.steps} steps`
    if (!found) missed++
    rows.push(rowOf([one.name, one.scenario, found?.seed ?? '-', seconds, words]))
    process.stderr.write(`${rows.at(-1)}\n`)
  }
  const table = [rowOf(['fault', 'scenario', 'seeds', 'seconds', 'violation']), ...rows]
  process.stdout.write(
    `${table.join('\n')}\n${faults.length - missed} of ${faults.length} faults were found\n`,
  )
  return missed === 0
}

function rowOf([name, scenario, seeds, seconds, violation]: readonly (string | number)[]): string {
  const cells = [String(name).padEnd(44), String(scenario).padEnd(9), String(seeds).padStart(5)]
  return `${cells.join('')}${String(seconds).padStart(9)}  ${String(violation).slice(0, 200)}`
}

const prefix = 'simulate-'

/** Removes copies of processes that were killed. */
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

/** Kills a simulation with its processes: when they end by themselves, they write the cache of modules to the copy. */
function kill(child: ChildProcess): void {
  if (child.pid === undefined || process.platform === 'win32') child.kill('SIGKILL')
  else
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // All have ended.
    }
}

/** Compiled modules are cached in the copy, for all faults. */
function copySources(folder: string): void {
  for (const name of copied) cpSync(join(root, name), join(folder, name), { recursive: true })
  const packages = join(root, 'node_modules')
  mkdirSync(join(folder, 'node_modules'))
  for (const name of readdirSync(packages))
    if (name !== '.cache') symlinkSync(join(packages, name), join(folder, 'node_modules', name))
}

/** Finds a seed that fails with a fault, and holds without. */
async function find(
  folder: string,
  fault: DeliberateFault,
  options: ProveOptions,
): Promise<Found | undefined> {
  // Below a repository, git would leave out what a patch changes.
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(folder) }
  const apply = (...args: string[]) =>
    execFileSync('git', ['apply', ...args, fault.patch], { cwd: folder, env })
  for (let seed = 1; seed <= options.limit; ) {
    apply()
    const count = options.limit - seed + 1
    const found = await firstFailure(folder, fault, { ...options, seed, count }).finally(() =>
      apply('--reverse'),
    )
    if (!found || !(await firstFailure(folder, fault, { ...options, seed: found.seed, count: 1 })))
      return found
    process.stderr.write(`${fault.name}: seed ${found.seed} fails without the fault, too\n`)
    seed = found.seed + 1
  }
  return undefined
}

/** Undefined if no seed fails. @throws if the simulation does not run */
async function firstFailure(
  cwd: string,
  { name, scenario }: DeliberateFault,
  { seed, count, steps }: Pick<ProveOptions, 'steps'> & { readonly seed: number; readonly count: number },
): Promise<Found | undefined> {
  const args = ['--seed', seed, '--seeds', count, '--steps', steps, '--scenario', scenario].map(String)
  const child = spawn(process.execPath, ['test/simulate/main.ts', ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, which is killed as a whole.
    detached: process.platform !== 'win32',
  })
  running = child
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const errors: string[] = []
  createInterface(child.stderr).on('line', (line) => {
    errors.push(line)
    if (/^\d+ of \d+ seeds/.test(line)) process.stderr.write(`${name}: ${line}\n`)
  })
  try {
    for await (const line of createInterface(child.stdout)) {
      const [, failed, violation = ''] = /^seed (\d+), step \d+: (.*)$/.exec(line) ?? []
      if (failed !== undefined) return { seed: Number(failed), violation }
    }
    if ((await ended) !== 0) throw new Error(`The simulation does not run: ${errors.slice(-9).join('\n')}`)
    return undefined
  } finally {
    kill(child)
    await ended
  }
}
