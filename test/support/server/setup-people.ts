/** A server with three people, for tests of what they write and read in the interface. */
import { hour } from './clock.ts'
import { type Setup, setupWorld } from './setup-world.ts'

export { other as bob, owner as alice, social, third as carol, world } from './setup-world.ts'

/** As `setupWorld`, with the three accounts. */
export function setupPeople(setup: Setup = {}): void {
  setupWorld({ ...setup, accounts: ['alice', 'bob', 'carol'] })
}

/** An hour ago: pages write posts with the time of their own clock, which are not to be in the future of the server. */
export function anHourAgo(): string {
  return new Date(Date.now() - hour).toISOString()
}
