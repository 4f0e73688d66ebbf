/** Chooses among what there is. */
import type { Random } from '../../support/replicas/random.ts'
import type { Person } from '../model/person.ts'
import type { Machine } from '../world/machine.ts'
import type { World } from '../world/world.ts'

/** A person whose server runs. */
export function homes(world: World, random: Random): Person | undefined {
  const people = world.people.filter(({ machine }) => machine.isRunning)
  return people.length > 0 ? random.pick(people) : undefined
}

export function runningMachine(world: World, random: Random): Machine | undefined {
  const machines = world.machines.filter(({ isRunning }) => isRunning)
  return machines.length > 0 ? random.pick(machines) : undefined
}

export function otherThan(world: World, random: Random, person: Person): Person | undefined {
  const others = world.people.filter((other) => other !== person)
  return others.length > 0 ? random.pick(others) : undefined
}
