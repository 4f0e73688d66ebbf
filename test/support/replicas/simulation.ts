/** Makes a run reproducible: timers run only when the model advances them, and random bytes follow from its seed. */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { mock } from 'node:test'
import type { Random } from './random.ts'

const { randomBytes } = crypto
/** Not simulated. */
export const realTimers = { setTimeout, clearTimeout }
let random: Random | undefined

/** Begins the simulation; `endSimulation` ends it. */
export function beginSimulation(): void {
  mock.timers.enable({ apis: ['setTimeout'] })
  crypto.randomBytes = ((size: number) => seededBytes(size)) as typeof randomBytes
  // For modules that import them by name.
  syncBuiltinESMExports()
}

export function endSimulation(): void {
  mock.timers.reset()
  crypto.randomBytes = randomBytes
  random = undefined
  syncBuiltinESMExports()
}

/** From now on random bytes follow from these numbers. */
export function drawBytesFrom(from: Random): void {
  random = from
}

function seededBytes(size: number): Buffer {
  const from = random
  return from ? Buffer.from(Array.from({ length: size }, () => from.below(256))) : randomBytes(size)
}

/** Lets timers that are due within two seconds, and what they start, run. */
export async function settle(): Promise<void> {
  mock.timers.tick(2000)
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}
