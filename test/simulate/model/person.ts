/** An account, and what must be true of it. */
import type { Request } from '../acts/send-writes.ts'
import type { Notified } from '../oracles/notified.ts'
import type { Machine } from '../world/machine.ts'
import type { Device } from './device.ts'
import type { Code, Grant } from './grant.ts'
import { History } from './history.ts'
import type { Mailbox, MailCode } from './mail.ts'
import type { Upload } from './media.ts'
import type { Move } from './move.ts'
import { Settings } from './settings.ts'
import type { AppPassword, SignIn } from './sign-in.ts'
import { activeStatus, type Status, wordOf } from './status.ts'
import type { Span } from './time-span.ts'

export interface Person {
  readonly name: string
  readonly did: string
  /** The handles that it may have: several while the answer of a change is lost. */
  handles: readonly string[]
  /** What its status may be: several while the answer of a change is lost. */
  statuses: readonly Status[]
  /** The email addresses that it may have: several while the answer of a change is lost. */
  mailboxes: readonly Mailbox[]
  /** Codes that were mailed, the last ones. */
  mailed: MailCode[]
  machine: Machine
  /** The password; two while it is unknown whether a change was made, the probable one first. */
  passwords: readonly string[]
  /** The session with which the person acts, opened with the password. */
  current: SignIn
  /** All sessions, also some that have ended. */
  signIns: SignIn[]
  /** Sessions that may exist: the answer of the sign-in was lost. */
  lostSignIns: number
  appPasswords: AppPassword[]
  /** Whether it may have a second factor. `maybe`: the answer to a change was lost. */
  factor: 'none' | 'maybe' | 'removed'
  /** Codes of apps, the last ones. */
  codes: Code[]
  /** Grants of apps, also some that have ended. */
  grants: Grant[]
  /** Grants that may exist: the answer with their tokens was lost. */
  lostGrants: number
  /** Devices that get notifications by push, also some that have ended. */
  devices: Device[]
  /** The access token of `current`. */
  readonly access: string
  /** The other servers that have shown the account. */
  readonly shownBy: Set<Machine>
  /** The records that exist, by `collection/rkey`. */
  readonly records: Map<string, Stored>
  /** Which changes of them were made, and which may have been. */
  readonly history: History
  /** Files that were uploaded, by CID. */
  readonly uploads: Map<string, Upload>
  readonly settings: Settings
  /** When seen markers were set to times that were still to come, by these. */
  readonly seenAhead: Map<string, Span>
  /** The notifications that each record has caused, by its URI. */
  notified: ReadonlyMap<string, Notified>
  /** The last archive of the repository, with its records. */
  archive?: { readonly bytes: Buffer; readonly records: ReadonlyMap<string, Stored> } | undefined
  /** Records that came with an archive: they may lack notifications. */
  readonly unannounced: Set<string>
  /** The last request whose answer was lost. */
  lost?: Request | undefined
  /** The accounts of the same DID at other servers, deactivated: those of moves that have not ended, and what moves have left. */
  copies: Person[]
  /** Servers that had such an account since the last check: activity of the person has not arrived there. */
  readonly wasAwayAt: Set<Machine>
  move?: Move | undefined
  /** When the account was imported, in milliseconds; undefined if it is or was active here. */
  importedAt?: number | undefined
  /** When the account moved here, in milliseconds; undefined for one that was created here. */
  arrivedAt?: number | undefined
}

type NewPerson = Pick<Person, 'name' | 'did' | 'machine'> & {
  readonly handle: string
  readonly password: string
  readonly signIn: SignIn
}

export function createPerson({ handle, password, signIn, ...person }: NewPerson): Person {
  return {
    ...person,
    ...{ handles: [handle], statuses: [activeStatus] },
    ...{ mailboxes: [{ address: `${person.name}@mail.test`, isConfirmed: false }], mailed: [] },
    ...{ passwords: [password], current: signIn, signIns: [signIn], lostSignIns: 0, appPasswords: [] },
    factor: 'none',
    ...{ codes: [], grants: [], lostGrants: 0, devices: [] },
    ...{ shownBy: new Set(), records: new Map(), history: new History(), uploads: new Map() },
    ...{ settings: new Settings(), seenAhead: new Map(), notified: new Map(), unannounced: new Set() },
    ...{ copies: [], wasAwayAt: new Set() },
    get access() {
      return this.current.access.jwt
    },
  }
}

/** Returns a person who stays as this one is now. */
export function clonePerson(person: Person): Person {
  const { name, did, machine, current } = person
  const clones = new Map(person.appPasswords.map((one) => [one, { ...one }]))
  const cloneSignIn = (signIn: SignIn) => signIn.clone(signIn.appPassword && clones.get(signIn.appPassword))
  const signIns = person.signIns.map(cloneSignIn)
  const clone = createPerson({
    ...{ name, did, machine, handle: '', password: '' },
    signIn: signIns[person.signIns.indexOf(current)] ?? cloneSignIn(current),
  })
  const { handles, statuses, passwords, lostSignIns, records, uploads, notified } = person
  const grants = new Map(person.grants.map((grant) => [grant, grant.clone()]))
  const cloneCode = (code: Code) => ({ ...code, grant: code.grant && grants.get(code.grant) })
  return Object.assign(clone, {
    ...{ mailboxes: person.mailboxes, mailed: person.mailed.map((code) => ({ ...code })) },
    ...{ handles, statuses, passwords, lostSignIns, signIns, notified, appPasswords: [...clones.values()] },
    ...{ records: new Map(records), history: person.history.clone(), settings: person.settings.clone() },
    ...{ uploads: new Map([...uploads].map(([cid, upload]) => [cid, { ...upload }])) },
    ...{ grants: [...grants.values()], codes: person.codes.map(cloneCode), lostGrants: person.lostGrants },
    ...{ shownBy: new Set(person.shownBy), unannounced: new Set(person.unannounced) },
    ...{ copies: person.copies, wasAwayAt: new Set(person.wasAwayAt), move: person.move },
    ...{ archive: person.archive, factor: person.factor, arrivedAt: person.arrivedAt },
    seenAhead: new Map(person.seenAhead),
    devices: person.devices.map((device) => ({ ...device, signIn: undefined })),
  })
}

/** Returns the status of an account; undefined while it is not known. */
export function statusOf({ statuses }: Person): Status | undefined {
  return statuses.length === 1 ? statuses[0] : undefined
}

/** Whether an account is known to have the status of a word. */
export function isWith(person: Person, word: string): boolean {
  const status = statusOf(person)
  return status !== undefined && wordOf(status) === word
}

/** Whether the holder may be unable to sign in. */
export function mayBeTakenDown({ statuses }: Person): boolean {
  return statuses.some(({ isTakenDown }) => isTakenDown)
}

export interface Stored {
  readonly cid: string
  readonly value: object
}
