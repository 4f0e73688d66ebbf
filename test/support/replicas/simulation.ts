/** Makes a run reproducible: timers run only when the model advances them, and random bytes follow from its seed. */
import {
  createLogicalClock,
  deadlinesBy,
  type LogicalClock,
} from '../../../server/testing/seed/logical-clock.ts'
import { type RandomSource, systemRandom } from '../../../server/util/random.ts'
import { replaceSources } from '../../../server/util/sources.ts'
import { systemTimers } from '../../../server/util/timers.ts'
import type { Random } from './random.ts'

let clock: LogicalClock | undefined
let random: Random | undefined
let putBack = () => {}

/** Begins the simulation; `endSimulation` ends it. */
export function beginSimulation(): void {
  clock = createLogicalClock({ start: systemTimers.time() })
  putBack = replaceSources({ timers: clock, deadlines: deadlinesBy(clock), random: seeded })
}

export function endSimulation(): void {
  putBack()
  clock?.close()
  clock = undefined
  random = undefined
}

/** From now on random bytes follow from these numbers. */
export function drawBytesFrom(from: Random): void {
  random = from
}

const bytes = (size: number): Buffer => {
  const from = random
  return from ? Buffer.from(Array.from({ length: size }, () => from.below(256))) : systemRandom.bytes(size)
}
const seeded: RandomSource = { bytes, temporaryBytes: bytes, fraction: () => random?.next() ?? Math.random() }

/** Lets timers that are due within two seconds, and what they start, run. */
export async function settle(): Promise<void> {
  await clock?.advance(2000)
  for (let turn = 0; turn < 5; turn++) await systemTimers.nextTurn()
}
