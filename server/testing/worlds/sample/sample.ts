/** The sample: a town of eleven accounts in two weeks, with conversations, notifications of each kind, and devices. */
import type { World, WorldAccount } from '../schema.ts'
import { createChance } from './chance.ts'
import { leaves, type Name, names, type Person, people } from './people.ts'
import { createTalk } from './talk.ts'
import { onDay } from './times.ts'

export function createSample(): World {
  return {
    start: onDay(0),
    accounts: names.map(accountOf),
    inviteCodes: [
      { id: 'shelf', by: 'alice', uses: 5, at: onDay(0.5) },
      { id: 'deals', by: 'alice', at: onDay(0.5), until: onDay(9.7) },
      { id: 'spare-1', by: 'alice', at: onDay(0.5) },
      { id: 'spare-2', by: 'alice', at: onDay(0.5) },
    ],
    // The full name follows later, so that the Gazette verifies her again.
    profiles: [{ by: 'alice', at: onDay(5.4), ...profileOf('alice') }],
    follows: createFollows(),
    lists: [
      { id: 'people', by: 'alice', name: 'People to know in Wrenport', purpose: 'reference', at: onDay(2) },
    ],
    starterPacks: [
      {
        ...{ id: 'moving', by: 'alice', name: 'Moving to Wrenport', list: 'people', at: onDay(2) },
        description: 'Everybody who will lend you something.',
      },
    ],
    verifications: [
      { by: 'gazette', of: 'alice', at: onDay(3), until: onDay(6) },
      { by: 'gazette', of: 'carol', at: onDay(3) },
      { by: 'gazette', of: 'alice', at: onDay(6) },
    ],
    ...createTalk(),
    ...createDevices(),
    subscriptions: [
      { by: 'alice', of: 'carol', at: onDay(0.9) },
      { by: 'alice', of: 'gazette', at: onDay(0.91) },
      { by: 'bob', of: 'alice', replies: true, at: onDay(0.95) },
      { by: 'erin', of: 'alice', at: onDay(1.95) },
      { by: 'alice', of: 'ivy', replies: true, at: onDay(8.9) },
    ],
    // Codes are valid for 15 minutes: these two are still valid at the end.
    codes: [
      { to: 'carol', purpose: 'confirmEmail', at: '-6m' },
      { to: 'bob', purpose: 'resetPassword', at: '-3m' },
    ],
  }
}

/** App passwords and sessions of the owner, and when accounts read their notifications. */
function createDevices(): Pick<World, 'appPasswords' | 'sessions' | 'seen'> {
  return {
    appPasswords: [
      { by: 'alice', name: 'Phone', at: onDay(0.1) },
      { by: 'alice', name: 'Old tablet', at: onDay(0.2), until: onDay(6.2) },
      { by: 'alice', name: 'Chat on the laptop', privileged: true, at: onDay(3.3) },
    ],
    sessions: [
      { by: 'alice', appPassword: 'Phone', client: 'Skylark/2.3 (Android 16)' },
      { by: 'alice', appPassword: 'Old tablet', client: 'Skylark/1.9 (Android 12)' },
      { by: 'alice', appPassword: 'Chat on the laptop', client: 'Messenger/7.0 (Linux)' },
      { by: 'alice', client: people.dave.client, at: onDay(12.1) },
    ],
    seen: [
      { by: 'bob', at: onDay(11) },
      { by: 'alice', at: onDay(12.9) },
      { by: 'carol', at: onDay(13.2) },
    ],
  }
}

function profileOf(name: Name) {
  const { displayName, description } = people[name]
  return { displayName, description }
}

const quiet = { include: 'all', list: true, push: false } as const

/** What only one of the accounts has. */
const more: Partial<Record<Name, Partial<WorldAccount>>> = {
  alice: {
    profile: { ...profileOf('alice'), displayName: 'Alice' },
    emailConfirmed: true,
    notificationPreferences: { like: quiet, likeViaRepost: quiet, repostViaRepost: quiet },
  },
  bob: { emailConfirmed: true },
  ivy: { inviteCode: 'shelf', profile: { ...profileOf('ivy'), joinedVia: 'moving' } },
  mallory: {
    inviteCode: 'deals',
    state: {
      ...{ to: 'takedown', at: onDay(leaves.mallory) },
      reason: 'Advertising, and asking people to be chosen',
    },
  },
  victor: { state: { to: 'deactivated', at: onDay(leaves.victor), deleteAfter: '20d' } },
}

function accountOf(name: Name): WorldAccount {
  const { joins, client, born, email }: Person = people[name]
  return {
    ...{ name, email: email ?? false, client, at: onDay(joins), profile: profileOf(name) },
    // Apps of the network refuse app passwords of accounts without a birth date.
    preferences: [{ $type: 'app.bsky.actor.defs#personalDetailsPref', birthDate: `${born}T00:00:00.000Z` }],
    ...more[name],
  }
}

/** Each account follows others soon after both have joined. */
function createFollows(): NonNullable<World['follows']> {
  const chance = createChance(1892)
  return names.flatMap((by) =>
    people[by].follows.map((of) => ({
      ...{ by, of, at: onDay(Math.max(people[by].joins, people[of].joins) + chance.between(0.001, 0.2)) },
    })),
  )
}
