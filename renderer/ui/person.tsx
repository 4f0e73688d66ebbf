/** Names of people as text. People on other servers are shown with their server. */
import { useActor } from '../api/actors.ts'
import { displayNameOf, handleOf, type Named, nameOf } from '../api/names.ts'
import { t } from '../strings/en.ts'
import styles from './person.module.css'

/** A person as views have it. */
export interface Person extends Named {
  /** When the account was created; absent for people of other servers. */
  readonly createdAt?: string | undefined
}

export function PersonName({ of: person }: { readonly of: Person }) {
  return isHere(person) ? <Name of={person} /> : <ResolvedName of={person} />
}

function ResolvedName({ of }: { readonly of: Person }) {
  return <Name of={useResolved(of).person} />
}

function Name({ of: person }: { readonly of: Person }) {
  return <bdi className={styles.name}>{nameOf(person)}</bdi>
}

interface AddressProps {
  readonly of: Person
  /** Shows nothing for accounts of this server. */
  readonly elsewhereOnly?: boolean
}

/** The handle, unless the name is the handle, and the server of a person elsewhere. */
export function Address({ of: person, elsewhereOnly = false }: AddressProps) {
  if (!isHere(person)) return <AddressElsewhere of={person} />
  return elsewhereOnly ? null : <AddressText of={person} />
}

function AddressElsewhere({ of }: { readonly of: Person }) {
  const { person, server } = useResolved(of)
  return <AddressText of={person} server={server} />
}

function AddressText({ of: person, server }: { readonly of: Person; readonly server?: string | undefined }) {
  const handle = displayNameOf(person) ? handleOf(person) : undefined
  const text = server === undefined ? handle : addressOf(handle, server)
  return text === undefined ? null : <span className={styles.address}>{text}</span>
}

function addressOf(handle: string | undefined, server: string): string {
  return handle === undefined ? t.people.on(server) : t.people.handleOn(handle, server)
}

function isHere({ createdAt }: Person): boolean {
  return createdAt !== undefined
}

/** A person elsewhere with the handle that was verified since the view was read, and the name of the server. */
function useResolved(person: Person): { readonly person: Person; readonly server?: string } {
  const { data: actor } = useActor(person.did)
  if (!actor || actor.isLocal) return { person }
  const server = serverName(actor.host) ?? t.people.otherServer
  return { person: { ...person, handle: actor.handle }, server }
}

/** `host:port` of an origin. */
export function serverName(origin: string | undefined): string | undefined {
  return URL.parse(origin ?? '')?.host
}
