/** Shows that the simulation can fail: it must find each deliberate fault. */
import { mkdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { deliberateFaults } from './deliberate-faults.ts'
import { applyPatch, copySources, createFolder, root } from './prove/copies.ts'
import { readFound, writeFound } from './prove/found.ts'
import { find, findAgain, type Search, shorten } from './prove/search.ts'
import { createSimulator, killAll } from './prove/simulator.ts'

export interface ProveOptions {
  /** Names of faults; undefined for all. */
  readonly names: readonly string[] | undefined
  /** Seeds after which a fault counts as not found. */
  readonly limit: number
  readonly steps: number
  /** Whether the runs that find faults are written to `found.json`. */
  readonly writes: boolean
}

/** What was found. */
interface Row {
  /** The seed that has found it; `kept` if the run of `found.json` has. */
  readonly by: number | 'kept'
  readonly violation: string
}

/**
 * Simulates each fault in a copy of the sources, by the run that has found it before, then by one seed after the other until one fails, and
 * prints a table. Several faults are simulated at a time. @returns whether all were found
 * @throws UsageError if the runs that are kept cannot be read
 */
export async function prove(options: ProveOptions): Promise<boolean> {
  readFound()
  const { names, limit, steps } = options
  const faults = deliberateFaults().filter(({ name }) => names?.includes(name) ?? true)
  const folder = createFolder()
  process.prependOnceListener('exit', killAll)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
  const [cores, queue, rows] = [availableParallelism(), [...faults], new Map<string, string>()]
  const lanes = Math.min(cores, faults.length)
  const sound = createSimulator(root, 1)
  const missed: string[] = []
  const work = async (copy: string) => {
    mkdirSync(copy)
    copySources(copy)
    for (let fault = queue.shift(); fault; fault = queue.shift()) {
      const begun = performance.now()
      const size = Math.max(1, Math.floor(cores / lanes))
      const found = await proveOne(copy, { fault, sound, limit, steps, size, writes: options.writes })
      const seconds = Math.round((performance.now() - begun) / 1000)
      if (!found) missed.push(fault.name)
      const words = found?.violation ?? `NOT FOUND in ${limit} seeds of ${steps} steps`
      rows.set(fault.name, rowOf([fault.name, fault.scenario, found?.by ?? '-', seconds, words]))
      process.stderr.write(`${rows.get(fault.name)}\n`)
    }
  }
  await Promise.all(Array.from({ length: lanes }, (_, lane) => work(join(folder, `${lane}`))))
  const title = rowOf(['fault', 'scenario', 'seeds', 'seconds', 'violation'])
  const lines = [title, ...faults.map(({ name }) => rows.get(name))]
  process.stdout.write(
    `${lines.join('\n')}\n${faults.length - missed.length} of ${faults.length} faults were found\n`,
  )
  return missed.length === 0
}

interface One extends Pick<Search, 'fault' | 'sound' | 'limit' | 'steps'> {
  readonly size: number
  readonly writes: boolean
}

async function proveOne(copy: string, { size, writes, ...rest }: One): Promise<Row | undefined> {
  const { fault } = rest
  const takeBack = applyPatch(copy, fault.patch)
  const faulty = createSimulator(copy, size)
  const search: Search = { ...rest, faulty, note: (words) => void process.stderr.write(`${words}\n`) }
  try {
    const kept = readFound()[fault.name]
    const again = kept && (await findAgain(search, kept))
    if (again !== undefined) return { by: 'kept', violation: again }
    const found = await find(search)
    if (found && writes) writeFound(fault.name, await shorten(search, found))
    return found && { by: found.seed, violation: found.violation }
  } finally {
    await faulty.kill()
    takeBack()
  }
}

function rowOf([name, scenario, seeds, seconds, violation]: readonly (string | number)[]): string {
  const cells = [String(name).padEnd(44), String(scenario).padEnd(9), String(seeds).padStart(5)]
  return `${cells.join('')}${String(seconds).padStart(9)}  ${String(violation).slice(0, 200)}`
}
