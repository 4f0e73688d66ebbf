/** Moves of accounts between servers, and the accounts that they leave at servers which the DID does not name. */
import type { Machine } from '../world/machine.ts'
import type { World } from '../world/world.ts'
import { initial } from './initial-settings.ts'
import { addressOf } from './mail.ts'
import { createPerson, type Person } from './person.ts'
import type { SignIn } from './sign-in.ts'
import { activeStatus } from './status.ts'

/** Who moves an account: its new server, its old one, the administrator of the old one, or a client by the calls of the protocol. */
export const ways = ['in', 'out', 'admin', 'client'] as const
export type Way = (typeof ways)[number]

/** What a client that moves an account has done. */
export interface ClientProgress {
  /** Revision of the imported archive. */
  rev?: string | undefined
  hasMedia: boolean
  hasPreferences: boolean
  /** The signed operation of the identity. */
  operation?: object | undefined
  isActivated: boolean
}

export interface Move {
  readonly way: Way
  readonly to: Machine
  /** Of the account at the new server. */
  readonly handle: string
  readonly password: string
  /** Whether the servers may finish it at any time: until this is known, the account has no fixed home. */
  isSigned: boolean
  /** Whether an answer has shown that the move has begun. */
  hasBegun: boolean
  /** Sessions that may exist at the new server: the answer of the sign-in was lost before any had shown that the account is there. */
  lostSignIns: number
  readonly client: ClientProgress
}

export function newMove(way: Way, to: Machine, handle: string, password: string): Move {
  const client = { hasMedia: false, hasPreferences: false, isActivated: false }
  return { way, to, handle, password, isSigned: way === 'admin', hasBegun: false, lostSignIns: 0, client }
}

/** Returns the account of a person at a server that its DID does not name. */
export function copyAt({ copies }: Person, machine: Machine): Person | undefined {
  return copies.find((copy) => copy.machine === machine)
}

/** Notes that the deactivated account exists at the new server. */
export function addCopy(person: Person, move: Move, signIn: SignIn): Person {
  const { to, handle, password, lostSignIns } = move
  const { name, did, uploads } = person
  const copy = createPerson({ name, did, machine: to, handle, password, signIn })
  const mailbox = { address: addressOf(person) ?? '', isConfirmed: false }
  Object.assign(copy, {
    ...{ statuses: [{ ...activeStatus, isDeactivated: true }], mailboxes: [mailbox] },
    ...{ uploads, importedAt: to.now().getTime(), lostSignIns },
  })
  person.copies.push(copy)
  to.moves++
  return copy
}

/** After an import, an account that was not activated is deleted in this time. */
const unactivatedMs = 72 * 60 * 60_000

/** Whether an account at another server may be deleted by a time. */
export function mayBeDeleted({ machine, statuses, importedAt }: Person, at: number): boolean {
  const by = at + machine.furthestMs
  if (importedAt !== undefined && importedAt + unactivatedMs <= by) return true
  return statuses.some(
    ({ isDeleted, deleteAfter }) => isDeleted || (deleteAfter !== undefined && Date.parse(deleteAfter) <= by),
  )
}

/** Notes that an account at another server does not exist any more. */
export function removeCopy(person: Person, copy: Person): void {
  person.copies = person.copies.filter((other) => other !== copy)
  person.wasAwayAt.add(copy.machine)
  copy.machine.moves++
}

/**
 * Notes that an account lives at its new server: with its records and preferences, and the sessions, settings and notifications of the
 * account there.
 */
export function arrive(world: World, person: Person, copy: Person): void {
  const { records, history, uploads, archive, shownBy, unannounced, settings } = person
  for (const upload of uploads.values()) upload.isUnused = false
  copy.settings.take('preferences', settings, initial.preferences)
  history.isHeadKnown = false
  for (const machine of [person.machine, copy.machine]) shownBy.delete(machine)
  Object.assign(copy, {
    ...{ records, history, uploads, archive, shownBy, unannounced, lost: undefined, move: undefined },
    ...{ statuses: [activeStatus], importedAt: undefined, arrivedAt: world.time.clock.now().getTime() },
    copies: [...person.copies.filter((other) => other !== copy), person],
    wasAwayAt: new Set([...person.wasAwayAt, copy.machine]),
  })
  // The old server keeps the records, of which nothing changes any more.
  Object.assign(person, { records: new Map(records), move: undefined, copies: [], lost: undefined })
  person.statuses = person.statuses.map((status) => ({
    ...{ ...status, isDeactivated: true, deleteAfter: undefined },
  }))
  for (const { machine } of [person, copy]) machine.moves++
  world.people[world.people.indexOf(person)] = copy
}
