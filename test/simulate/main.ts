/** `npm run simulate -- [--seeds N] [--seed S] [--steps N]`: simulates servers, people and faults, and checks what must hold. */
import { parseArgs } from 'node:util'
import { planOf, run, warmUp } from './run.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20' },
    seed: { type: 'string' },
    steps: { type: 'string', default: '300' },
    trace: { type: 'boolean', default: false },
  },
})
const steps = Number(values.steps)
const first = Number(values.seed ?? 1)
const count = values.seed === undefined ? Number(values.seeds) : 1
let failed = 0
await warmUp()
for (let seed = first; seed < first + count; seed++) {
  const started = performance.now()
  const result = await run(seed, planOf(seed, steps))
  if (values.trace) process.stdout.write(`${result.trace.join('\n')}\n`)
  process.stderr.write(`seed ${seed} ${Math.round(performance.now() - started)} ms\n`)
  if (result.violation === undefined) continue
  failed++
  process.stdout.write(`seed ${seed}, step ${result.steps}: ${result.violation}\n`)
}
process.stdout.write(`${count} seeds of ${steps} steps, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1
