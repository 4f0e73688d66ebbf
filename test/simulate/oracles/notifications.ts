/** Each person sees the notifications that follow from records and settings, once each, and as many unread ones as are counted. */
import { Violation } from '../acts/act.ts'
import { workingToken } from '../acts/sessions.ts'
import { copyAt } from '../model/move.ts'
import { isWith, mayBeTakenDown, type Person } from '../model/person.ts'
import type { World } from '../world/world.ts'
import { isWanted, notifiedOf } from './notified.ts'
import { avoids, mayLackBlock } from './relations.ts'

interface Listed {
  readonly uri: string
  readonly reason: string
  readonly reasonSubject?: string
  readonly isRead: boolean
  readonly indexedAt: string
}

export async function checkNotifications(world: World): Promise<void> {
  for (const person of world.people) {
    if (mayBeTakenDown(person)) {
      person.notified = notifiedOf(world, person)
      continue
    }
    const token = await workingToken(world, person)
    const listed = await listOf(world, person, token)
    const rule = wrongRead(person, listed) ?? wrongLines(world, person, listed)
    if (rule !== undefined) throw new Violation(`notifications of ${person.name}: ${rule}`)
    const { body } = await world.call(person.machine, 'app.bsky.notification.getUnreadCount', { token })
    const unread = listed.filter(({ isRead }) => !isRead).length
    if (body?.count !== unread)
      throw new Violation(`notifications of ${person.name}: ${unread} are unread, ${body?.count} are counted`)
  }
  for (const { settings } of world.accounts) settings.forget()
  for (const { wasAwayAt } of world.people) wasAwayAt.clear()
}

/** Compares the list with the model, which then knows what was found. */
function wrongLines(world: World, person: Person, listed: readonly Listed[]): string | undefined {
  const authors = new Map(world.people.map((author) => [author.did, author]))
  const notified = notifiedOf(world, person)
  const hidden = new Map(
    world.people.map((author) => {
      const isInactive = !isWith(author, 'active') || copyAt(author, person.machine) !== undefined
      return [author, avoids(world, person, author) || isInactive]
    }),
  )
  const found = Map.groupBy(listed, ({ uri }) => uri)
  for (const uri of found.keys()) if (!notified.has(uri)) return `${uri} does not exist`
  for (const [uri, { cid, lines }] of notified) {
    const [first, second] = found.get(uri) ?? []
    const author = authors.get(uri.split('/')[2] ?? '') as Person
    const visible = hidden.get(author)
      ? []
      : [...lines].filter((line) => line !== '' && isWanted(person, author, line))
    const isUnsure = mayLackBlock(person, author)
    if (second) return `${uri} is listed twice`
    if (first) {
      const line = `${first.reason} ${uri} ${first.reasonSubject ?? ''}`
      if (!visible.includes(line) && !(isUnsure && lines.has(line)))
        return `has ${line}, but should have ${[...lines].join(' or ') || 'none'}`
      notified.set(uri, { cid, lines: new Set([line]) })
    } else if (visible.length === lines.size && !isUnsure) return `lacks ${visible.join(' or ')}`
  }
  person.notified = notified
  return undefined
}

/** By how much the time of a notification may be ahead of the clock. */
const aheadMs = 1000

/** Those up to the seen marker are read, and times decrease. */
function wrongRead({ settings, seenAhead }: Person, listed: readonly Listed[]): string | undefined {
  const given: string | null = settings.get('seen')
  // Those that arrive later are unread, also before a time that was still to come.
  const setAt = given === null ? undefined : seenAhead.get(given)
  const seen = setAt ? new Date(setAt.to).toISOString() : given
  let last = '9'
  for (const { uri, indexedAt, isRead } of listed) {
    if (indexedAt >= last) return `${uri}: ${indexedAt} follows ${last}`
    last = indexedAt
    // While the marker was set, and a little later: times of notifications that arrived at once are ahead of the clock.
    const isUnsure = setAt && Math.abs(Date.parse(indexedAt) - setAt.to) <= setAt.to - setAt.from + aheadMs
    if (!isUnsure && isRead !== (seen !== null && indexedAt <= seen))
      return `${uri} of ${indexedAt}: isRead is ${isRead}, seen up to ${seen}`
  }
  return undefined
}

async function listOf(world: World, person: Person, token: string): Promise<Listed[]> {
  const listed: Listed[] = []
  for (let cursor: string | undefined, page = 0; page === 0 || cursor !== undefined; page++) {
    const query = { limit: '100', ...(cursor !== undefined && { cursor }) }
    const { status, body } = await world.call(person.machine, 'app.bsky.notification.listNotifications', {
      query,
      token,
    })
    if (status !== 200) throw new Violation(`notifications of ${person.name}: ${status} ${body?.error}`)
    listed.push(...body.notifications)
    cursor = body.cursor
  }
  return listed
}
