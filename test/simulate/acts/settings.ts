/** What an account sets: mutes, subscriptions to posts, preferences, and up to when notifications are seen. */
import type { Random } from '../../support/replicas/random.ts'
import { initial } from '../model/initial-settings.ts'
import type { Person } from '../model/person.ts'
import type { World } from '../world/world.ts'
import { type Act, Violation } from './act.ts'
import { homes, notifierOf, otherThan } from './choose.ts'
import { renew } from './sessions.ts'

interface Change {
  readonly nsid: string
  readonly input: object
  /** Name in the model. */
  readonly name: string
  readonly value: unknown
  readonly initial: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** As for `World.call`. */
  readonly service?: string
}

/** Calls a method that changes a setting, and notes it. @returns what happened, in words */
export async function change(
  world: World,
  person: Person,
  { nsid, input, name, value, initial, headers = {}, service }: Change,
): Promise<string> {
  const { machine, settings, access: token } = person
  const words = `${machine.name}: ${person.name} ${nsid.split('.').at(-1)} ${JSON.stringify(input)}`
  const { status, body } = await world.call(machine, nsid, {
    input,
    token,
    headers,
    ...(service !== undefined && { service }),
  })
  if (status === 200) settings.change(name, value, { initial, isMade: true })
  else if (status === 0 || status >= 500) settings.change(name, value, { initial, isMade: false })
  else if (body?.error === 'ExpiredToken') return `${words} → ExpiredToken, ${await renew(world, person)}`
  else throw new Violation(`${words}: ${status} ${JSON.stringify(body)}`)
  return `${words} → ${status}`
}

export const mute: Act = {
  weight: 3,
  async run(world, random) {
    const person = homes(world, random)
    const other = person && (random.chance(0.6) ? notifierOf : otherThan)(world, random, person)
    if (!other) return undefined
    const value = random.chance(0.5)
    return change(world, person, {
      nsid: `app.bsky.graph.${value ? 'muteActor' : 'unmuteActor'}`,
      input: { actor: other.did },
      ...{ name: `mute ${other.did}`, value, initial: initial.mute },
    })
  },
}

export const subscribe: Act = {
  weight: 4,
  async run(world, random) {
    const person = homes(world, random)
    const other = person && otherThan(world, random, person)
    if (!other) return undefined
    const value = { post: random.chance(0.6), reply: random.chance(0.5) }
    return change(world, person, {
      nsid: 'app.bsky.notification.putActivitySubscription',
      input: { subject: other.did, activitySubscription: value },
      ...{ name: `subscription ${other.did}`, value, initial: initial.subscription },
    })
  },
}

/** Sets which notifications of some reasons are listed and pushed, one reason after the other. */
export const setNotifications: Act = {
  weight: 2,
  async run(world, random) {
    const person = homes(world, random)
    if (!person) return undefined
    const words: string[] = []
    for (const reason of Object.keys(initial.notifications))
      if (random.chance(0.4) && person.machine.isRunning)
        words.push(await setNotificationsOf(world, random, person, reason))
    return words.length > 0 ? words.join('; ') : undefined
  },
}

function setNotificationsOf(world: World, random: Random, person: Person, reason: string): Promise<string> {
  const include = random.chance(0.6) ? 'all' : 'follows'
  const common = { list: random.chance(0.6), push: random.chance(0.5) }
  const value = reason === 'subscribedPost' ? common : { include, ...common }
  return change(world, person, {
    nsid: 'app.bsky.notification.putPreferencesV2',
    input: { [reason]: value },
    ...{ name: `notifications ${reason}`, value, initial: initial.notifications[reason] },
  })
}

/** The date of birth, which no app password may read. */
export const personalDetails = 'app.bsky.actor.defs#personalDetailsPref'

/** Stores preferences of clients, of which servers know nothing but the date of birth. */
export const setPreferences: Act = {
  weight: 2,
  async run(world, random) {
    const person = homes(world, random)
    if (!person) return undefined
    const value = [
      { $type: 'app.bsky.actor.defs#adultContentPref', enabled: random.chance(0.5) },
      { $type: 'app.bsky.actor.defs#simulatedPref', number: random.below(1000) },
      ...(random.chance(0.6) ? [{ $type: personalDetails, birthDate: '1990-02-03T00:00:00.000Z' }] : []),
    ]
    return change(world, person, {
      nsid: 'app.bsky.actor.putPreferences',
      input: { preferences: value },
      ...{ name: 'preferences', value, initial: initial.preferences },
    })
  },
}

/** Marks notifications as seen up to now, or up to a time before. */
export const updateSeen: Act = {
  weight: 3,
  async run(world, random) {
    const person = homes(world, random)
    if (!person) return undefined
    const back = random.chance(0.5) ? 0 : Math.floor(10 ** (random.next() * 7))
    const value = new Date(world.time.clock.now().getTime() - back).toISOString()
    return setSeen(world, person, value)
  },
}

async function setSeen(world: World, person: Person, value: string): Promise<string> {
  const { machine, seenAhead } = person
  const from = machine.now().getTime()
  const words = await change(world, person, {
    nsid: 'app.bsky.notification.updateSeen',
    input: { seenAt: value },
    ...{ name: 'seen', value, initial: initial.seen },
  })
  if (Date.parse(value) > from) seenAhead.set(value, { from, to: machine.now().getTime() })
  return words
}

/** Marks notifications as seen up to a time that is to come, as a client does whose clock is ahead. */
export const updateSeenAhead: Act = {
  weight: 1,
  async run(world, random) {
    const person = homes(world, random)
    if (person?.machine.skewMs !== 0) return undefined
    const now = world.time.clock.now().getTime()
    const value = new Date(now + Math.floor(10 ** (4 + random.next() * 4))).toISOString()
    return setSeen(world, person, value)
  },
}
