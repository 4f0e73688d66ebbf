/** The options of `npm run simulate`. A wrong one ends the command: otherwise a run of nothing would look like a success. */
import type { parseArgs } from 'node:util'
import { parseOptions } from '../../server/testing/arguments.ts'
import { UsageError } from '../../server/testing/exec.ts'
import { deliberateFaults } from './deliberate-faults.ts'
import type { ProveOptions } from './prove.ts'
import { type Scenario, scenarios } from './scenarios.ts'

export interface SimulateOptions {
  /** The first seed. */
  readonly first: number
  readonly count: number
  readonly steps: number
  readonly scenario: Scenario
  /** Steps of the plan; undefined for all. */
  readonly only: string | undefined
  readonly trace: boolean
  readonly twice: boolean
  readonly costs: boolean
  /** Undefined without `--prove`. */
  readonly prove: Omit<ProveOptions, 'steps'> | undefined
}

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const many = { type: 'string', multiple: true } as const
const options = {
  ...{ seeds: text, seed: text, steps: text, scenario: text, only: text, limit: text },
  ...{ trace: flag, twice: flag, costs: flag, prove: flag, fault: many, write: flag },
} as const

type Flags = ReturnType<typeof parseArgs<{ options: typeof options }>>['values']

/** What only one of the two kinds of runs has. */
const ofRuns = ['seeds', 'seed', 'scenario', 'only', 'trace', 'twice', 'costs'] as const
const ofProofs = ['fault', 'limit', 'write'] as const

/** Seeds are numbers of 32 bits. */
const maxSeed = 2 ** 32 - 1

/** @throws UsageError */
export function readOptions(args: readonly string[]): SimulateOptions {
  const flags = parsed(args)
  const prove = flags.prove ?? false
  const others = (prove ? ofRuns : ofProofs).filter((name) => flags[name])
  if (others.length > 0)
    throw new UsageError(`--${others[0]} is not used ${prove ? 'with' : 'without'} --prove.`)
  // Most deliberate faults are found by short plans.
  const steps = wholeOf(flags, 'steps', prove ? 40 : 300, 1)
  const first = wholeOf(flags, 'seed', 1, 0, maxSeed)
  return {
    first,
    // Each seed of a run can be named again.
    count: wholeOf(flags, 'seeds', flags.seed === undefined ? 20 : 1, 1, maxSeed - first + 1),
    ...{ steps, scenario: scenarioOf(flags), only: onlyOf(flags, steps) },
    ...{ trace: flags.trace ?? false, twice: flags.twice ?? false, costs: flags.costs ?? false },
    prove: prove
      ? {
          ...{ names: faultsOf(flags), limit: wholeOf(flags, 'limit', 2000, 1, maxSeed) },
          writes: flags.write ?? false,
        }
      : undefined,
  }
}

function parsed(args: readonly string[]): Flags {
  try {
    return parseOptions(args, options)
  } catch (error) {
    const [sentence = ''] = (error as Error).message.split(/\.?(?:\n|$)/)
    throw new UsageError(
      `${sentence}. The options: ${Object.keys(options)
        .map((name) => `--${name}`)
        .join(' ')}`,
    )
  }
}

function wholeOf(
  flags: Flags,
  name: 'seeds' | 'seed' | 'steps' | 'limit',
  otherwise: number,
  min: number,
  max = 1_000_000,
): number {
  const given = flags[name]
  if (given === undefined) return otherwise
  const value = Number(given)
  if (!/^\d+$/.test(given) || value < min || value > max)
    throw new UsageError(`--${name} must be a whole number from ${min} to ${max}.`)
  return value
}

function scenarioOf({ scenario = 'all' }: Flags): Scenario {
  const names = Object.keys(scenarios)
  if (!names.includes(scenario)) throw new UsageError(`--scenario must be one of ${names.join(', ')}.`)
  return scenario as Scenario
}

function onlyOf({ only }: Flags, steps: number): string | undefined {
  if (only === undefined) return undefined
  const ranges = only.split(',').map((range) => range.split('-').map(Number))
  const isRange = ([first = 0, last = first]: readonly number[]) => first <= last && last <= steps
  if (!/^\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*$/.test(only) || !ranges.every(isRange))
    throw new UsageError(`--only must list steps from 1 to ${steps}, such as 3,7,12-15.`)
  return only
}

function faultsOf({ fault }: Flags): readonly string[] | undefined {
  const known = deliberateFaults().map(({ name }) => name)
  const unknown = fault?.find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw new UsageError(`There is no fault ${unknown}. The faults:\n  ${known.join('\n  ')}`)
  return fault
}
