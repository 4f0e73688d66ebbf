/** Looks for a run that fails with a deliberate fault, and holds without. */
import type { DeliberateFault } from '../deliberate-faults.ts'
import { shortest } from '../failures.ts'
import type { Done } from '../pool.ts'
import { planOf, type Step } from '../scenarios.ts'
import { kindOf } from '../shrink.ts'
import { type FoundRun, planOfRun, stepsText } from './found.ts'
import type { Simulator } from './simulator.ts'

/** The search for a shorter run ends after so long. */
const searchMs = 30_000

export interface Search {
  readonly fault: DeliberateFault
  /** With the fault. */
  readonly faulty: Simulator
  /** Without. */
  readonly sound: Simulator
  readonly limit: number
  readonly steps: number
  readonly note: (words: string) => void
}

export interface Found {
  readonly seed: number
  readonly plan: readonly Step[]
  readonly done: Done
  readonly violation: string
}

/** Runs what has found a fault before. @returns the violation; undefined if the fault stays hidden now */
export async function findAgain(
  { fault, faulty, sound, note }: Search,
  run: FoundRun,
): Promise<string | undefined> {
  const job = { seed: run.seed, plan: planOfRun(run) }
  const { violation } = await faulty.run(job)
  if (violation === undefined) {
    note(`${fault.name}: its run holds with the fault`)
    return undefined
  }
  const without = await sound.run(job)
  if (without.violation === undefined) return violation
  note(`${fault.name}: its run fails without the fault, too: ${without.violation}`)
  return undefined
}

/** Runs one seed after the other. */
export async function find({ fault, faulty, sound, limit, steps, note }: Search): Promise<Found | undefined> {
  const jobOf = (seed: number) => ({ seed, plan: planOf(seed, steps, fault.scenario) })
  const runs = new Map<number, Promise<Done>>()
  for (let seed = 1; seed <= limit; seed++) {
    for (let next = seed; next < seed + faulty.size && next <= limit; next++)
      if (!runs.has(next)) runs.set(next, faulty.run(jobOf(next)))
    const done = await (runs.get(seed) as Promise<Done>)
    runs.delete(seed)
    const { violation } = done
    if (seed % 25 === 0) note(`${fault.name}: ${seed} seeds`)
    if (violation === undefined) continue
    const job = jobOf(seed)
    const without = await sound.run(job)
    if (without.violation === undefined) return { ...job, done, violation }
    note(`${fault.name}: seed ${seed} fails without the fault, too: ${without.violation}`)
  }
  return undefined
}

/** Shortens a run. */
export async function shorten(
  { faulty, sound, note, fault }: Search,
  { seed, plan, done, violation }: Found,
): Promise<FoundRun> {
  const until = performance.now() + searchMs
  const kind = kindOf(violation)
  const isOver = () => performance.now() > until
  const short = await shortest({ seed, plan, done, kind, pool: faulty }, isOver)
  const isSound = short && (await sound.run({ seed, plan: short })).violation === undefined
  if (!isSound) note(`${fault.name}: seed ${seed} cannot be shortened`)
  return { seed, steps: stepsText(isSound ? short : plan), violation }
}
