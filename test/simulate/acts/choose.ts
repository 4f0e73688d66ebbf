/** Chooses among what there is. */
import type { Random } from '../../support/replicas/random.ts'
import { type Person, statusOf } from '../model/person.ts'
import { type Status, wordOf } from '../model/status.ts'
import type { Machine } from '../world/machine.ts'
import type { World } from '../world/world.ts'

/** A person with an active account whose server runs. */
export function homes(world: World, random: Random): Person | undefined {
  return personWith(world, random, (status) => wordOf(status) === 'active')
}

/** As `homes`, of one server and not one of its people. */
export function homesAt(world: World, random: Random, machine: Machine, not?: Person): Person | undefined {
  const near = world.people.filter((one) => one.machine === machine && one !== not)
  return personWith(world, random, (status) => wordOf(status) === 'active', near)
}

/** As `homes`, who can sign in with the password. */
export function holders(world: World, random: Random): Person | undefined {
  return personWith(world, random, ({ isTakenDown }) => !isTakenDown)
}

/** A person whose server runs and is known, and whose status is known and stays for the next hour. */
export function personWith(
  world: World,
  random: Random,
  condition: (status: Status) => boolean,
  among: readonly Person[] = world.people,
): Person | undefined {
  const soon = world.time.clock.now().getTime() + 60 * 60_000
  const people = among.filter((person) => {
    const status = statusOf(person)
    const isDue =
      status?.deleteAfter !== undefined && Date.parse(status.deleteAfter) <= soon + person.machine.furthestMs
    const isSettled = !person.move?.isSigned && person.factor !== 'maybe' && person.machine.isRunning
    return isSettled && status && !isDue && condition(status)
  })
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

/** An author of records that refer to a person or to its records, if there is one; else anyone else. */
export function notifierOf(world: World, random: Random, person: Person): Person | undefined {
  const refers = ({ records }: Person) =>
    [...records.values()].some(({ value }) => JSON.stringify(value).includes(person.did))
  const notifiers = world.people.filter((author) => author !== person && refers(author))
  return notifiers.length > 0 ? random.pick(notifiers) : otherThan(world, random, person)
}
