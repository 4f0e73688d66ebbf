/** A step of a simulation. */
import type { Random } from '../../support/replicas/random.ts'
import type { World } from '../world/world.ts'

export interface Act {
  /** How often it is chosen beside the others. */
  readonly weight: number
  /** Does it, and changes the model by what was answered. @returns what happened, in words; undefined if nothing could be done */
  run(world: World, random: Random): Promise<string | undefined>
}

/** What must hold does not. */
export class Violation extends Error {
  override readonly name = 'Violation'
}
