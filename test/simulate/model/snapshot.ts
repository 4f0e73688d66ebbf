/** The people of a machine as they were at a time, to which a restore leads back. */
import type { Machine } from '../world/machine.ts'
import type { World } from '../world/world.ts'
import { clonePerson, type Person } from './person.ts'

export interface Snapshot {
  readonly people: readonly Person[]
  /** In milliseconds since 1970. */
  readonly at: number
  /** How often a move had changed its accounts. */
  readonly moves: number
}

export function takeSnapshot({ people, time }: World, machine: Machine): Snapshot {
  const own = people.filter((person) => person.machine === machine)
  return { people: own.map(clonePerson), at: time.clock.now().getTime(), moves: machine.moves }
}

/**
 * Whether a restore leads to a state that other servers and the directory can know: no account was created since, none has another handle,
 * no move has changed its accounts, and those that were deleted are deleted again.
 */
export function canReturn(world: World, machine: Machine, { people, moves }: Snapshot): boolean {
  if (moves !== machine.moves) return false
  const now = world.time.clock.now().toISOString()
  const before = new Map(people.map((person) => [person.did, person]))
  const present = world.people.filter((person) => person.machine === machine)
  const isKnown = ({ did, handles }: Person) => String(before.get(did)?.handles) === String(handles)
  const isDue = ({ statuses }: Person) =>
    statuses.length === 1 &&
    statuses.every(({ deleteAfter }) => deleteAfter !== undefined && deleteAfter < now)
  const dids = new Set(present.map(({ did }) => did))
  return (
    present.every((person) => isKnown(person) && person.handles.length === 1) &&
    people.every((person) => dids.has(person.did) || isDue(person)) &&
    world.deleted.every((person) => person.machine !== machine || before.has(person.did))
  )
}

/** Replaces the people of a machine by those of an earlier time. */
export function returnTo(world: World, machine: Machine, { people }: Snapshot): void {
  const back = new Map(people.map((person) => [person.did, clonePerson(person)]))
  for (const [i, { did }] of world.people.entries()) {
    const person = back.get(did)
    if (person) world.people[i] = person
    back.delete(did)
  }
  world.people.push(...back.values())
  const dids = new Set(people.map(({ did }) => did))
  const deleted = world.deleted.filter(({ did }) => !dids.has(did))
  world.deleted.splice(0, world.deleted.length, ...deleted)
  restored(world, machine)
}

/** The server runs on data that were restored: each repository gets another commit, and the accounts are reported again. */
export function restored(world: World, machine: Machine): void {
  machine.filesUsedAt.clear()
  world.consumerOf(machine).isRestored = true
  for (const person of world.people) {
    if (person.machine !== machine) continue
    person.history.isHeadKnown = false
    person.lost = undefined
    for (const device of person.devices) device.isRegistered = 'maybe'
  }
}
