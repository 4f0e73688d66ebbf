/** Devices get a push for each notification that preferences allow, and for no other one. */
import { Violation } from '../acts/act.ts'
import { block } from '../acts/drafts.ts'
import { workingToken } from '../acts/sessions.ts'
import { type Device, mayGetPush } from '../model/device.ts'
import { isWith, type Person, statusOf } from '../model/person.ts'
import type { Push } from '../world/push-service.ts'
import type { World } from '../world/world.ts'
import { mayHaveAvoided } from './relations.ts'

const settingOf = (reason: string) =>
  `notifications ${reason === 'subscribed-post' ? 'subscribedPost' : reason}`

/** Judges a push when it arrives, by what is certain then. @returns the rule that it breaks */
export function wrongPush(world: World, push: Push, person: Person): string | undefined {
  const { token, notification } = push
  const device = person.devices.find((one) => one.token === token)
  if (!device) return `is no device of ${person.name}`
  if (!mayGetPush(device)) return 'is not registered any more'
  const status = statusOf(person)
  if (status && !isWith(person, 'active')) return `${person.name} is not active`
  const author = world.people.find(({ did }) => did === notification.author.did)
  const { settings, machine } = person
  const preference = settings.certain(settingOf(notification.reason))
  if (preference?.push === false) return 'is not wanted'
  if (!author) return undefined
  if (settings.certain(`mute ${author.did}`) === true) return `${author.name} is muted`
  if (surelyBlocks(person, author)) return `${author.name} is blocked`
  if (author.machine !== machine) return undefined
  if (surelyBlocks(author, person)) return `${author.name} blocks`
  const path = notification.uri.slice(`at://${author.did}/`.length)
  return author.history.wasDeleted(path) ? 'was deleted' : undefined
}

/** Whether a person is known to block another, by a record that must exist. */
function surelyBlocks({ records, history }: Person, other: Person): boolean {
  return [...records].some(
    ([path, { value }]) =>
      path.startsWith(`${block}/`) &&
      (value as { subject?: unknown }).subject === other.did &&
      history.possible(path).size === 1,
  )
}

interface Listed {
  readonly uri: string
  readonly reason: string
  readonly indexedAt: string
  readonly author: { readonly did: string }
}

/** Call it after the settings were compared, and before the notifications are. */
export async function checkPushes(world: World): Promise<void> {
  const { push } = world.services
  if (push.broken !== undefined) throw new Violation(`push: ${push.broken}`)
  for (const person of world.people) {
    const devices = person.devices.filter((device) => isSure(world, person, device))
    if (devices.length > 0) await checkDevices(world, person, devices)
  }
  for (const person of world.people) {
    for (const device of person.devices) {
      device.isChecked = device.isRegistered === 'yes' && device.signIn?.isOpen === 'yes'
      device.statusAtCheck = statusOf(person)
    }
  }
  push.wasWell = true
}

/** Whether a device was registered since the last check, with a push service that works and an account that stays active. */
function isSure({ services }: World, person: Person, device: Device): boolean {
  return (
    services.push.wasWell &&
    device.isChecked &&
    device.machine === person.machine &&
    device.isRegistered === 'yes' &&
    device.signIn?.isOpen === 'yes' &&
    isWith(person, 'active') &&
    device.statusAtCheck === statusOf(person) &&
    !person.machine.wasSet
  )
}

async function checkDevices(world: World, person: Person, devices: readonly Device[]): Promise<void> {
  const { machine, settings, notified } = person
  const { status, body } = await world.call(machine, 'app.bsky.notification.listNotifications', {
    query: { limit: '50' },
    token: await workingToken(world, person),
  })
  if (status !== 200) throw new Violation(`notifications of ${person.name} → ${status}`)
  const pushed = new Set(world.services.push.delivered.keys())
  for (const { uri, reason, indexedAt, author: by } of body.notifications as Listed[]) {
    const author = world.people.find(({ did }) => did === by.did)
    const preferences = settings.recent(settingOf(reason))
    const isWanted = preferences.every(({ push, include = 'all' }) => push && include === 'all')
    // Known before the last check, or not wanted all the time.
    if (notified.has(uri) || !author || !isWanted || mayHaveAvoided(world, person, author)) continue
    if (!isWith(author, 'active') || !author.history.isNew(uri.slice(`at://${author.did}/`.length))) continue
    for (const { token } of devices)
      if (!pushed.has(`${token} ${reason} ${uri} ${indexedAt}`))
        throw new Violation(`${person.name}: ${token} lacks the push of ${reason} ${uri} of ${indexedAt}`)
  }
}
