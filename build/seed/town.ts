/** State shared by the parts of the seed command: accounts, posts and the agenda. */

import { xrpc } from '@atproto/lex-client'
import type { LexMap } from '@atproto/lex-data'
import type { HandleString, NsidString } from '@atproto/syntax'
import { app, type com } from '../../lexicons/generated/index.ts'
import type { Agenda } from './agenda.ts'
import { type Member, type Opening, signIn, signUp } from './member.ts'
import { type Name, type Person, people } from './people.ts'
import { type Chance, createChance } from './random.ts'

export type Ref = com.core.repo.strongRef.Main

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

export interface TownOptions {
  readonly endpoint: string
  readonly agenda: Agenda
  readonly start: number
  readonly end: number
  /** Returns the code of the newest message to an address. */
  readonly codeTo: (email: string) => Promise<string>
}

export interface Town extends TownOptions {
  readonly chance: Chance
  /** Active accounts. */
  readonly members: Map<Name, Member>
  /** Posts by text. */
  readonly posts: Map<string, Ref>
  readonly now: () => Date
  /** Number of records written. */
  records: number
}

export const names = Object.keys(people) as Name[]

export function createTown(options: TownOptions): Town {
  const { now } = options.agenda
  return { ...options, chance: createChance(1891), members: new Map(), posts: new Map(), now, records: 0 }
}

export function handleOf(name: Name): HandleString {
  return `${name}.test`
}

export function passwordOf(name: Name): string {
  return `${name}-password`
}

/** @throws if the account has not joined yet or has left */
export function member(town: Town, name: Name): Member {
  const found = town.members.get(name)
  if (!found) throw new Error(`${name} has no active account at ${town.now().toISOString()}`)
  return found
}

export async function join(town: Town, name: Name, inviteCode?: string): Promise<Member> {
  const person: Person = people[name]
  const { email, client, born } = person
  const joined = await signUp(openingOf(town, name, client), { email, inviteCode })
  // Apps of the network refuse app passwords of accounts without a birth date.
  const details = { $type: 'app.example.actor.defs#personalDetailsPref', birthDate: `${born}T00:00:00.000Z` }
  await xrpc(joined.agent, app.example.actor.putPreferences, { body: { preferences: [details] } })
  town.members.set(name, joined)
  return joined
}

/** Opens a session on another device. */
export function openSession(
  town: Town,
  name: Name,
  client: string,
  password = passwordOf(name),
): Promise<Member> {
  return signIn({ ...openingOf(town, name, client), password })
}

function openingOf({ endpoint, now }: Town, name: Name, client: string): Opening {
  return { endpoint, now, client, handle: handleOf(name), password: passwordOf(name) }
}

/** Creates a record with the current time as createdAt. */
export async function write(town: Town, name: Name, collection: NsidString, record: LexMap): Promise<Ref> {
  town.records++
  return member(town, name).create(collection, { ...record, createdAt: town.now().toISOString() })
}
