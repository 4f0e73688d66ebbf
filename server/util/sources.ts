/**
 * Replaces the sources of time, timers, random values and signatures, for tests and the network for tests. Only `server/testing/` and
 * tests import this file. Worker threads keep the sources of the system.
 */
import { type Deadlines, replaceDeadlines } from './deadlines.ts'
import { type CreateSigner, replaceSigner } from './keys.ts'
import { type RandomSource, replaceRandom, systemRandom } from './random.ts'
import { replaceTimers, systemTimers, type Timers } from './timers.ts'

/** Those that are left out stay the system's. */
export interface Sources {
  /** The clock of what falls due, see `timers.ts`. */
  readonly timers?: Timers | undefined
  /** The clock of limits of real input and output, see `deadlines.ts`. */
  readonly deadlines?: Deadlines | undefined
  readonly random?: RandomSource | undefined
  readonly createSigner?: CreateSigner | undefined
}

let areReplaced = false

export const areSourcesReplaced = (): boolean => areReplaced

/**
 * Replaces sources of this process. Call it before the parts that use them are created: signers and running timers stay as they are.
 * @returns a function that puts those of the system back; further calls of it do nothing
 * @throws if they are replaced already
 */
export function replaceSources(sources: Sources): () => void {
  if (areReplaced)
    throw new Error('Time is replaced already: one network for tests can run in a process, stop it first.')
  areReplaced = true
  apply(sources)
  let isOver = false
  return () => {
    if (isOver) return
    isOver = true
    areReplaced = false
    apply({})
  }
}

function apply({ timers = systemTimers, deadlines, random = systemRandom, createSigner }: Sources): void {
  replaceTimers(timers)
  replaceDeadlines(deadlines)
  replaceRandom(random)
  replaceSigner(createSigner)
}
