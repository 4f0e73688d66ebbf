/** Schedules everything except posts: sign-ups, follows, verifications, devices, settings, moderation. */
import { xrpc } from '@atproto/lex-client'
import { app, com } from '../../lexicons/generated/index.ts'
import { iso } from '../../server/util/time.ts'
import type { Member } from './member.ts'
import { type Name, people } from './people.ts'
import {
  day,
  handleOf,
  join,
  member,
  minute,
  names,
  openSession,
  type Ref,
  type Town,
  write,
} from './town.ts'

const { actor, graph, notification } = app.example
const { server, admin } = com.core

/** Collections without a lexicon here, stored unvalidated. */
const list = 'app.example.graph.list'
const starterPack = 'app.example.graph.starterpack'

export function planChronicle(town: Town): void {
  const on = (days: number, task: () => Promise<unknown>) => town.agenda.add(town.start + days * day, task)
  const beforeEnd = (minutes: number, task: () => Promise<unknown>) =>
    town.agenda.add(town.end - minutes * minute, task)
  planArrivals(town, on)
  planVerification(town, on)
  planDevices(town, on)
  planSettings(town, on)

  on(0.02, () => confirmEmail(town, 'alice'))
  on(0.4, () => confirmEmail(town, 'bob'))
  on(9.6, async () => {
    const subject = { $type: 'com.core.admin.defs#repoRef' as const, did: member(town, 'mallory').did }
    const takedown = { applied: true, ref: 'Advertising, and asking people to be chosen' }
    await xrpc(member(town, 'alice').agent, admin.updateSubjectStatus, { body: { subject, takedown } })
    town.members.delete('mallory')
  })
  on(10, async () => {
    const deleteAfter = iso(new Date(town.end + 20 * day))
    await xrpc(member(town, 'victor').agent, server.deactivateAccount, { body: { deleteAfter } })
    town.members.delete('victor')
  })
  // Codes are valid for 15 minutes: these two are still valid at the end.
  beforeEnd(6, () => xrpc(member(town, 'carol').agent, server.requestEmailConfirmation))
  beforeEnd(3, () => xrpc(town.endpoint, server.requestPasswordReset, { body: { email: emailOf('bob') } }))
}

type Profile = Pick<app.example.actor.profile.Main, 'displayName' | 'description' | 'joinedViaStarterPack'>
type On = (days: number, task: () => Promise<unknown>) => void

/** Each account signs up, writes its profile and follows others as soon as they have joined. */
function planArrivals(town: Town, on: On): void {
  const inviteCodes = planInvites(town, on)
  let pack: Ref | undefined
  for (const name of names) {
    const { joins, follows } = people[name]
    on(joins, async () => {
      await join(town, name, inviteCodes.get(name))
      const { displayName, description } = people[name]
      await writeProfile(town, name, {
        // The full name follows later, so that the Gazette verifies her again.
        displayName: name === 'alice' ? 'Alice' : displayName,
        description,
        ...(name === 'ivy' && pack && { joinedViaStarterPack: pack }),
      })
    })
    for (const other of follows) {
      on(Math.max(joins, people[other].joins) + town.chance.between(0.001, 0.2), () =>
        write(town, name, graph.follow.$type, { subject: member(town, other).did }),
      )
    }
  }
  on(2, async () => {
    const { uri } = await write(town, 'alice', list, {
      name: 'People to know in Wrenport',
      purpose: 'app.example.graph.defs#referencelist',
    })
    pack = await write(town, 'alice', starterPack, {
      name: 'Moving to Wrenport',
      description: 'Everybody who will lend you something.',
      list: uri,
    })
  })
}

/** @returns the invite codes by account, filled when they are created */
function planInvites(town: Town, on: On): ReadonlyMap<Name, string> {
  const inviteCodes = new Map<Name, string>()
  on(0.5, async () => {
    const { agent } = member(town, 'alice')
    const { body } = await xrpc(agent, server.createInviteCode, { body: { useCount: 5 } })
    const { body: more } = await xrpc(agent, server.createInviteCodes, {
      body: { codeCount: 3, useCount: 1 },
    })
    inviteCodes.set('ivy', body.code).set('mallory', more.codes[0]?.codes[0] ?? '')
  })
  on(9.7, () => {
    const codes = [inviteCodes.get('mallory') ?? '']
    return xrpc(member(town, 'alice').agent, admin.disableInviteCodes, { body: { codes } })
  })
  return inviteCodes
}

function planVerification(town: Town, on: On): void {
  const verify = (name: Name, displayName: string) =>
    write(town, 'gazette', graph.verification.$type, {
      subject: member(town, name).did,
      handle: handleOf(name),
      displayName,
    })
  let early: Ref | undefined
  on(3, async () => {
    early = await verify('alice', 'Alice')
    await verify('carol', people.carol.displayName)
  })
  on(5.4, () => writeProfile(town, 'alice', people.alice))
  on(6, async () => {
    if (early) await member(town, 'gazette').remove(early)
    await verify('alice', people.alice.displayName)
  })
}

/** App passwords and sessions of the owner. */
function planDevices(town: Town, on: On): void {
  let phone: Member | undefined
  const signInWithAppPassword = async (name: string, privileged: boolean, client: string) => {
    const { agent } = member(town, 'alice')
    const { body } = await xrpc(agent, server.createAppPassword, { body: { name, privileged } })
    return openSession(town, 'alice', client, body.password)
  }
  on(0.1, async () => {
    phone = await signInWithAppPassword('Phone', false, 'Skylark/2.3 (Android 16)')
  })
  on(0.2, () => signInWithAppPassword('Old tablet', false, 'Skylark/1.9 (Android 12)'))
  on(3.3, () => signInWithAppPassword('Chat on the laptop', true, 'Messenger/7.0 (Linux)'))
  on(6.2, () => xrpc(member(town, 'alice').agent, server.revokeAppPassword, { body: { name: 'Old tablet' } }))
  on(12.1, () => openSession(town, 'alice', people.dave.client))
  on(12.9, () => markSeen(town, phone ?? member(town, 'alice')))
}

/** Activity subscriptions, preferences and seen markers. */
function planSettings(town: Town, on: On): void {
  const subscribe = (name: Name, to: Name, activitySubscription: { post: boolean; reply: boolean }) =>
    xrpc(member(town, name).agent, notification.putActivitySubscription, {
      body: { subject: member(town, to).did, activitySubscription },
    })
  on(0.9, () => subscribe('alice', 'carol', { post: true, reply: false }))
  on(0.91, () => subscribe('alice', 'gazette', { post: true, reply: false }))
  on(8.9, () => subscribe('alice', 'ivy', { post: true, reply: true }))
  on(0.95, () => subscribe('bob', 'alice', { post: true, reply: true }))
  on(1.95, () => subscribe('erin', 'alice', { post: true, reply: false }))
  on(7.5, async () => {
    const { agent } = member(town, 'alice')
    const { preferences } = (await xrpc(agent, notification.getPreferences)).body
    const quiet = { include: 'all', list: true, push: false } as const
    const changed = { ...preferences, like: quiet, likeViaRepost: quiet, repostViaRepost: quiet }
    await xrpc(agent, notification.putPreferences, { body: { preferences: changed } })
  })
  on(11, () => markSeen(town, member(town, 'bob')))
  on(13.2, () => markSeen(town, member(town, 'carol')))
}

function markSeen(town: Town, { agent }: Member) {
  return xrpc(agent, notification.updateSeen, { body: { seenAt: iso(town.now()) } })
}

async function writeProfile(town: Town, name: Name, profile: Profile): Promise<void> {
  const { displayName, description, joinedViaStarterPack } = profile
  town.records++
  await member(town, name).put(actor.profile.$type, 'self', {
    displayName,
    description,
    ...(joinedViaStarterPack && { joinedViaStarterPack }),
    createdAt: iso(town.now()),
  })
}

async function confirmEmail(town: Town, name: Name): Promise<void> {
  const { agent } = member(town, name)
  const email = emailOf(name)
  await xrpc(agent, server.requestEmailConfirmation)
  await xrpc(agent, server.confirmEmail, { body: { email, token: await town.codeTo(email) } })
}

function emailOf(name: Name): string {
  const { email } = people[name]
  if (email === undefined) throw new Error(`${name} has no email address`)
  return email
}
