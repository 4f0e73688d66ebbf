/**
 * `node test/simulate/prove.ts [--limit N] [--steps N] [--fault NAME]`: shows that the simulation can fail. Each patch of `faults/` puts a
 * fault in a copy of the sources, and seeds are simulated until one fails. Prints how many it took, and what did not hold.
 */
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { type DeliberateFault, deliberateFaults } from './deliberate-faults.ts'

const root = join(import.meta.dirname, '../..')
/** What the simulation loads. */
const copied = ['server', 'test', 'lexicons', 'build', 'package.json', 'tsconfig.json']

const { values } = parseArgs({
  options: {
    limit: { type: 'string', default: '2000' },
    steps: { type: 'string', default: '300' },
    fault: { type: 'string' },
  },
})

interface Found {
  readonly seeds: number
  readonly violation: string
}

/** Simulates seeds on the sources with a fault until one fails. */
async function find({ patch }: DeliberateFault): Promise<Found | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'simulate-'))
  try {
    for (const name of copied) cpSync(join(root, name), join(folder, name), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir')
    execFileSync('git', ['apply', patch], { cwd: folder })
    return await firstFailure(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function firstFailure(folder: string): Promise<Found | undefined> {
  const args = ['test/simulate/main.ts', '--seed', '1', '--seeds', values.limit, '--steps', values.steps]
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    for await (const line of createInterface(child.stdout)) {
      const [, seed, violation = ''] = /^seed (\d+), step \d+: (.*)$/.exec(line) ?? []
      if (seed !== undefined) return { seeds: Number(seed), violation }
    }
    return undefined
  } finally {
    child.kill()
  }
}

let missed = 0
for (const fault of deliberateFaults().filter(({ name }) => name === (values.fault ?? name))) {
  const found = await find(fault)
  if (!found) missed++
  const result = found
    ? `${found.seeds} seeds: ${found.violation.slice(0, 160)}`
    : `not found in ${values.limit} seeds`
  process.stdout.write(`${fault.name}: ${result}\n`)
}
process.exitCode = missed === 0 ? 0 : 1
