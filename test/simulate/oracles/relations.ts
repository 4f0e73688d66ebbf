/** Who follows, mutes and blocks whom. */
import { block } from '../acts/drafts.ts'
import type { Person, Stored } from '../model/person.ts'
import type { World } from '../world/world.ts'

const follow = 'app.bsky.graph.follow'
export const list = 'app.bsky.graph.list'
export const item = 'app.bsky.graph.listitem'
export const listBlock = 'app.bsky.graph.listblock'

interface Subject {
  readonly subject?: unknown
  readonly list?: unknown
  readonly createdAt?: string
}

const isAbout =
  ({ did }: Person) =>
  ({ value }: { value: object }) =>
    (value as Subject).subject === did

const recordsOf = ({ records }: Person, collection: string) =>
  [...records].filter(([path]) => path.startsWith(`${collection}/`)).map(([, stored]) => stored)

export function follows(person: Person, other: Person): boolean {
  return recordsOf(person, follow).some(isAbout(other))
}

/** Whether a person sees nothing of another: it mutes the other, or one blocks the other, directly or by a list. */
export function avoids(world: World, person: Person, other: Person): boolean {
  const isMuted = person.settings.get(`mute ${other.did}`) === true
  return (
    isMuted ||
    mutedLists(person, world).some((uri) => isOn(world, uri, other)) ||
    blocks(world, person, other) ||
    blocks(world, other, person)
  )
}

function blocks(world: World, person: Person, other: Person): boolean {
  if (recordsOf(person, block).some(isAbout(other))) return true
  return recordsOf(person, listBlock).some(({ value }) =>
    isOn(world, String((value as Subject).subject), other),
  )
}

const mutedLists = (person: Person, { people }: World) =>
  people.flatMap(listsOf).filter((uri) => person.settings.get(`mute ${uri}`) === true)

/** Whether an account is on a list that exists. Only items of its owner count. */
function isOn({ people }: World, uri: string, member: Person): boolean {
  const owner = people.find(({ did }) => uri.startsWith(`at://${did}/`))
  if (!owner?.records.has(uri.slice(`at://${owner.did}/`.length))) return false
  return recordsOf(owner, item).some(
    ({ value }) => isAbout(member)({ value }) && (value as Subject).list === uri,
  )
}

/** The URIs of the lists of an account. */
export function listsOf({ did, records }: Person): string[] {
  return [...records.keys()]
    .filter((path) => path.startsWith(`${list}/`))
    .map((path) => `at://${did}/${path}`)
}

/** Whether the server of a person may lack what it needs to know that another account blocks: a list, or what was before a move. */
export function mayLackBlock(person: Person, other: Person): boolean {
  if (other.machine === person.machine) return false
  const { arrivedAt = 0 } = person
  const isEarlier = ({ value }: Stored) =>
    isAbout(person)({ value }) && Date.parse((value as Subject).createdAt ?? '') <= arrivedAt
  return recordsOf(other, listBlock).length > 0 || recordsOf(other, block).some(isEarlier)
}

/** Whether that may have been so at some time since the last check. */
export function mayHaveAvoided(world: World, person: Person, other: Person): boolean {
  return (
    person.settings.recent(`mute ${other.did}`).includes(true) ||
    person.history.recent(block).some(isAbout(other)) ||
    other.history.recent(block).some(isAbout(person)) ||
    mayHaveAvoidedByList(world, person, other)
  )
}

/** Whether one may have used a list while the other was on any. */
function mayHaveAvoidedByList(world: World, person: Person, other: Person): boolean {
  const usesLists = [person, other].some(
    ({ history, settings }) => history.recent(listBlock).length > 0 || settings.hasRecent('mute at://', true),
  )
  const isOnAny = (member: Person) =>
    [...world.people, ...world.deleted].some(({ history }) => history.recent(item).some(isAbout(member)))
  return usesLists && (isOnAny(person) || isOnAny(other))
}
