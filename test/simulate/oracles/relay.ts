/** A relay has each repository as it is, by the event stream and by the exports that events ask for. */
import { Violation } from '../acts/act.ts'
import { isWith, type Person, statusOf } from '../model/person.ts'
import { wordOf } from '../model/status.ts'
import type { FollowedHost } from '../world/followed-host.ts'
import type { World } from '../world/world.ts'

export async function checkRelay(world: World): Promise<void> {
  const { relay } = world.services
  for (const machine of world.machines) {
    if (!machine.services.has('relay') || relay.followedOf(machine)) continue
    relay.permitAsking()
    const { status } = await world.call(machine, 'com.core.admin.requestCrawls', { input: {}, isAdmin: true })
    if (status !== 200 || !relay.followedOf(machine))
      throw new Violation(`${machine.name} does not ask the relay to follow it: ${status}`)
    relay.permitAsking()
  }
  await world.time.settle()
  if (relay.broken !== undefined) throw new Violation(`relay: ${relay.broken}`)
  for (const machine of world.machines) {
    const broken = relay.followedOf(machine)?.broken
    if (broken !== undefined) throw new Violation(`relay of ${machine.name}: ${broken}`)
  }
  for (const person of world.people) {
    const followed = relay.followedOf(person.machine)
    const rule = followed && wrongIn(followed, person)
    if (rule !== undefined) throw new Violation(`relay of ${person.machine.name}: ${person.name} ${rule}`)
  }
}

/** @returns what the relay has wrong */
function wrongIn(followed: FollowedHost, person: Person): string | undefined {
  const { did, handles, records } = person
  const status = statusOf(person)
  const found = followed.repositoryOf(did)
  if (!status) return undefined
  // The events have an account from its first activation on.
  if (!isWith(person, 'active'))
    return !found || found.status === wordOf(status) ? undefined : `is ${found.status}, not ${wordOf(status)}`
  if (found?.status !== 'active') return `is ${found?.status}, not active`
  if (found.isStale) return 'could not be fetched'
  if (found.handle !== undefined && !handles.includes(found.handle)) return `has the handle ${found.handle}`
  for (const [path, { cid }] of records)
    if (found.records.get(path) !== cid) return `lacks ${path}, or has another version`
  for (const path of found.records.keys()) if (!records.has(path)) return `has ${path}, which does not exist`
  return undefined
}
