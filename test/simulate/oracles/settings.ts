/** What accounts have set is stored, and nothing else. */
import { Violation } from '../acts/act.ts'
import { workingToken } from '../acts/sessions.ts'
import { personalDetails } from '../acts/settings.ts'
import { initial } from '../model/initial-settings.ts'
import { copyAt } from '../model/move.ts'
import { isWith, mayBeTakenDown, type Person } from '../model/person.ts'
import type { Machine } from '../world/machine.ts'
import type { World } from '../world/world.ts'
import { listsOf } from './relations.ts'

export async function checkSettings(world: World): Promise<void> {
  // Accounts that are taken down refuse sign-in.
  for (const person of world.people) {
    if (mayBeTakenDown(person)) continue
    await checkPerson(world, person)
    await checkPersonalDetails(world, person)
  }
}

interface Typed {
  readonly $type: string
}

/** Sessions of app passwords read no date of birth. */
async function checkPersonalDetails(world: World, { machine, name, signIns }: Person): Promise<void> {
  for (const { appPassword, access } of signIns) {
    if (!appPassword) continue
    const { body } = await world.call(machine, 'app.bsky.actor.getPreferences', { token: access.jwt })
    if (body?.preferences?.some(({ $type }: Typed) => $type === personalDetails))
      throw new Violation(`${appPassword.name} reads the date of birth of ${name}`)
  }
}

/** The lists of the active accounts of a server. */
function listsNear({ people }: World, machine: Machine): string[] {
  return people.filter((owner) => owner.machine === machine && isWith(owner, 'active')).flatMap(listsOf)
}

async function checkPerson(world: World, person: Person): Promise<void> {
  const { machine, name, settings } = person
  const token = await workingToken(world, person)
  const read = async (nsid: string, query: Readonly<Record<string, string>> = {}) => {
    const { status, body } = await world.call(machine, `app.bsky.${nsid}`, { token, query })
    if (status !== 200) throw new Violation(`${name}: ${nsid} → ${status} ${JSON.stringify(body)}`)
    return body
  }
  const expect = (setting: string, value: unknown, first: unknown) => {
    if (!settings.settle(setting, value, first))
      throw new Violation(`${name}: "${setting}" is ${JSON.stringify(value)}, which was not set last`)
  }
  const { mutes } = await read('graph.getMutes', { limit: '100' })
  const muted = new Set(mutes.map(({ did }: { did: string }) => did))
  const { subscriptions } = await read('notification.listActivitySubscriptions', { limit: '100' })
  for (const other of world.people) {
    const { did } = other
    // Lists leave out inactive accounts, also those of people who have moved away.
    if (did === person.did || !isWith(other, 'active') || copyAt(other, machine)) continue
    expect(`mute ${did}`, muted.has(did), initial.mute)
    const found = subscriptions.find((one: { did: string }) => one.did === did)?.activitySubscription
    const { post, reply } = found ?? initial.subscription
    expect(`subscription ${did}`, { post, reply }, initial.subscription)
  }
  const { lists } = await read('graph.getListMutes', { limit: '100' })
  const mutedLists = new Set(lists.map(({ uri }: { uri: string }) => uri))
  for (const uri of listsNear(world, machine)) expect(`mute ${uri}`, mutedLists.has(uri), initial.mute)
  const { preferences } = await read('notification.getPreferences')
  for (const [reason, first] of Object.entries(initial.notifications)) {
    const { include, list, push } = preferences[reason]
    expect(`notifications ${reason}`, include ? { include, list, push } : { list, push }, first)
  }
  const { preferences: all } = await read('actor.getPreferences')
  // Servers derive it from the date of birth.
  const stored = all.filter(({ $type }: Typed) => !$type.endsWith('#declaredAgePref'))
  expect('preferences', stored, initial.preferences)
  const { seenAt = null } = await read('notification.listNotifications', { limit: '1' })
  expect('seen', seenAt, initial.seen)
}
