/** Which notifications each record may have caused, from the records and what accounts have set. */
import { expectedNotifications } from '../../crash/expected-notifications.ts'
import { copyAt } from '../model/move.ts'
import type { Person, Stored } from '../model/person.ts'
import type { World } from '../world/world.ts'
import { follows, mayHaveAvoided } from './relations.ts'

/** The notification of a record for a person. */
export interface Notified {
  readonly cid: string
  /** `reason uri subject` of the possible ones; empty: none. */
  readonly lines: ReadonlySet<string>
}

interface Source {
  readonly author: Person
  readonly path: string
  readonly stored: Stored
}

/** Collections whose records notify. */
const notifying = /\.(?:like|repost|post|follow)\//

/** Returns the possible notifications of a person by the URI of the record. */
export function notifiedOf(world: World, person: Person): Map<string, Notified> {
  const existing = new Set(
    world.people.flatMap(({ did, records }) => [...records.keys()].map((path) => `at://${did}/${path}`)),
  )
  const result = new Map<string, Notified>()
  for (const author of world.people) {
    if (author === person) continue
    for (const [path, stored] of author.records) {
      if (!notifying.test(path)) continue
      const uri = `at://${author.did}/${path}`
      const before = person.notified.get(uri)
      const isSame = before?.cid === stored.cid
      const derived = isSame
        ? before.lines
        : linesOf(world, person, { author, path, stored }, { before: before?.lines, existing })
      const isUnsure = author.unannounced.has(path) || isAwayFrom(author, person)
      const lines = isUnsure ? new Set([...derived, '']) : derived
      result.set(uri, { cid: stored.cid, lines })
    }
  }
  return result
}

/** Whether the server of a person has an account of an author who lives elsewhere, or had one since the last check. */
export function isAwayFrom(author: Person, { machine }: Person): boolean {
  return author.wasAwayAt.has(machine) || copyAt(author, machine) !== undefined
}

interface Known {
  /** The possible ones of its earlier version, if there was one at the last check. */
  readonly before: ReadonlySet<string> | undefined
  /** The URIs of all records. */
  readonly existing: ReadonlySet<string>
}

function linesOf(
  world: World,
  person: Person,
  { author, path, stored: { value } }: Source,
  { before, existing }: Known,
): Set<string> {
  const uri = `at://${author.did}/${path}`
  const subscribed = `subscribed-post ${uri} `
  // It stays when the post changes.
  if (before?.size === 1 && before.has(subscribed)) return new Set(before)
  const [derived = ''] = expectedNotifications(person.did, [{ uri, value }], new Map())
  const subject = derived.split(' ')[2] ?? ''
  const lines = new Set([derived])
  const isOnlyVersion = !before && author.history.isNew(path)
  const subscriptions = path.includes('.post/') ? subscriptionsTo(person, author, value) : []
  if (before?.has(subscribed) || (subscriptions.includes(true) && !(derived && isOnlyVersion))) {
    lines.add(subscribed)
    if (!derived && isOnlyVersion && !subscriptions.includes(false)) lines.delete('')
  }
  // An act on a deleted record creates no notification; servers leave out records of avoided authors elsewhere.
  const isRemote = author.machine !== person.machine
  const isNone = subject !== '' && !existing.has(subject)
  if (isNone || (isRemote && (before?.has('') || mayHaveAvoided(world, person, author)))) lines.add('')
  // By a wrong clock, of its author's server or of its recipient's, the record may count as too old to notify.
  if (isRemote && (author.machine.wasSet || person.machine.wasSet)) lines.add('')
  return lines
}

/** Whether the person is subscribed to such posts: every state that may have been since the last check. */
function subscriptionsTo(person: Person, { did }: Person, post: object): boolean[] {
  const recent = person.settings.recent(`subscription ${did}`)
  return recent.map(({ post: toPosts, reply }) => ('reply' in post ? reply : toPosts))
}

/** Whether a person wants to see a notification of an author in the list. */
export function isWanted(person: Person, author: Person, line: string): boolean {
  const [reason = ''] = line.split(' ')
  const name = reason === 'subscribed-post' ? 'subscribedPost' : reason
  const { include, list } = person.settings.get(`notifications ${name}`)
  return list && (include !== 'follows' || follows(person, author))
}
