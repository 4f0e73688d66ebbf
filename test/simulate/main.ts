/**
 * `npm run simulate -- [--seeds N] [--seed S] [--steps N] [--scenario NAME] [--only LIST] [--trace] [--twice] [--costs]`: simulates servers,
 * people and faults, and checks what must hold. Seeds are run by a process for each core. `--twice` runs each seed in two processes, and
 * compares the traces. `--only 3,7,12-15` takes these steps of the plan. `--costs` measures the CPU time of each kind of act.
 * `--prove [--fault NAME]… [--limit N] [--write]` simulates seeds with each deliberate fault until one fails, and keeps them with `--write`.
 * Ctrl-C prints what was found so far.
 */
import { availableParallelism } from 'node:os'
import { UsageError } from '../../server/testing/exec.ts'
import { costsOf, differenceOf } from './describe.ts'
import { explain } from './failures.ts'
import { readOptions } from './options.ts'
import { createPool, type Done } from './pool.ts'
import { prove } from './prove.ts'
import { only, planOf, type Step } from './scenarios.ts'
import { kindOf } from './shrink.ts'

const options = await orExit(async () => readOptions(process.argv.slice(2)))
const { first, count, steps, scenario, prove: proof } = options
if (proof) process.exit((await orExit(() => prove({ ...proof, steps }))) ? 0 : 1)

/** Ends the process if an option is wrong, or a file that it needs. */
async function orExit<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(2)
  }
}

const progressMs = 10_000
const begun = performance.now()
const seconds = () => Math.round((performance.now() - begun) / 1000)
const print = (text: string) => void process.stdout.write(`${text}\n`)

const runs = count * (options.twice ? 2 : 1)
const pool = createPool(Math.max(Math.min(availableParallelism(), runs), options.twice ? 2 : 1))

function planFor(seed: number): Step[] {
  const plan = planOf(seed, steps, scenario)
  return options.only === undefined ? plan : only(plan, options.only)
}

const all: Done[] = []
const hasFailed = ({ violation }: Done) => violation !== undefined

/** Runs a seed; with `--twice` once more in another process. */
async function runSeed(seed: number): Promise<Done> {
  const job = { seed, plan: planFor(seed), costs: options.costs }
  const first = await pool.run(job)
  const again = options.twice ? await pool.run(job, first.by) : first
  const done = { ...first, violation: differenceOf(first.trace, again.trace) ?? first.violation }
  all.push(done)
  return done
}

function progressOf(): string {
  const cpuMs = all.reduce((sum, done) => sum + done.cpuMs, 0) / Math.max(all.length, 1)
  return `${all.length} of ${count} seeds of ${steps} steps, ${all.filter(hasFailed).length} failed; ${seconds()} s, ${Math.round(cpuMs)} ms of CPU time per seed`
}

const progress = setInterval(() => process.stderr.write(`${progressOf()}\n`), progressMs)
const interruption = Promise.withResolvers<undefined>()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => interruption.resolve(undefined))
/** The first failure of each kind. */
const failures = new Map<string, { readonly command: string; readonly explained: () => Promise<string> }>()
const running = Array.from({ length: count }, (_, i) => ({ seed: first + i, done: runSeed(first + i) }))
for (const { seed, done: run } of running) {
  // After an interruption, those that have ended are printed.
  const done = await Promise.race([run, interruption.promise])
  if (!done) continue
  if (options.trace) print(done.trace.join('\n'))
  const { violation } = done
  if (violation === undefined) continue
  const plan = planFor(seed)
  print(`seed ${seed}, step ${plan[done.steps - 1]?.number ?? 0}: ${violation}`)
  const command = `--seed ${seed} --steps ${steps}${scenario === 'all' ? '' : ` --scenario ${scenario}`}`
  const kind = kindOf(violation)
  const explained = () => explain({ seed, plan, command, done, kind, pool })
  if (!failures.has(kind)) failures.set(kind, { command, explained })
}
clearInterval(progress)
for (const { command, explained } of failures.values())
  print((await Promise.race([interruption.promise, explained()])) ?? `npm run simulate -- ${command} --trace`)
pool.close()
if (options.costs) print(costsOf(all))
print(progressOf())
process.exitCode = all.some(hasFailed) ? 1 : Number(all.length < count)
