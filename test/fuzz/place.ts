/**
 * Lets computers copy to a place that fails and lies, in random steps: `npm run model -- [--steps N] [--seed S]`. Prints its progress. If a
 * rule is broken, it prints the shortest list of steps that it has found, and fails.
 * `--path` of its report begins with that run.
 */
import { parseArgs } from 'node:util'
import { rules } from '../support/replicas/rules.ts'
import { runModel } from '../support/replicas/run-model.ts'
import { beginSimulation } from '../support/replicas/simulation.ts'

const { values } = parseArgs({
  options: {
    steps: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '36' },
    path: { type: 'string' },
  },
})
const [steps, seed] = [Number(values.steps), Number(values.seed)]
const started = performance.now()
const print = (step: number) =>
  process.stdout.write(`${step} steps, seed ${seed}, ${Math.round((performance.now() - started) / 1000)} s\n`)
beginSimulation()
const result = await runModel({
  ...{ seed, steps, enforced: Object.keys(rules) as (keyof typeof rules)[] },
  path: values.path,
  limitMs: 60_000 + steps * 400,
  onStep: (step) => {
    if (step % 500 === 0) print(step)
  },
})
if (result.report !== '') process.stdout.write(`${result.report}\n`)
print(result.steps)
process.exitCode = result.report === '' ? 0 : 1
