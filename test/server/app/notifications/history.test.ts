/** Random sequences of actions: list, unread count and stream agree with a simple model. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listening } from '../../../support/server/listener.ts'
import { type Account, adminAuth } from '../../../support/server/server.ts'
import { body, mentions, type Ref, SocialServer } from '../../../support/server/social.ts'

let social: SocialServer
let round = 0

beforeAll(async () => {
  social = await SocialServer.start()
})
afterAll(() => social.close())

const people = 3
const person = fc.nat({ max: people - 1 })
const key = fc.constantFrom('like', 'follow', 'mention', 'subscribedPost')
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ action: fc.constant('like'), actor: person, target: person }) },
  { weight: 3, arbitrary: fc.record({ action: fc.constant('follow'), actor: person, target: person }) },
  { weight: 3, arbitrary: fc.record({ action: fc.constant('post'), actor: person, target: person }) },
  { weight: 3, arbitrary: fc.record({ action: fc.constant('remove'), pick: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ action: fc.constant('unfollow'), actor: person }) },
  {
    weight: 1,
    arbitrary: fc.record({
      action: fc.constant('subscribe'),
      actor: person,
      target: person,
      on: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ action: fc.constant('suspend'), actor: person, on: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ action: fc.constant('seen'), actor: person, pick: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      action: fc.constant('prefer'),
      actor: person,
      key,
      list: fc.boolean(),
      include: fc.constantFrom('all', 'follows'),
    }),
  },
)
type Step = {
  action: string
  actor: number
  target: number
  on: boolean
  pick?: number
  key: string
  list: boolean
  include: string
}

/** An existing record, with the reason of the notification of each recipient. */
interface ExistingRecord {
  readonly author: number
  readonly ref: Ref
  readonly follows: number | undefined
  /** The subject of a like. */
  readonly likes: number | undefined
  readonly reasons: ReadonlyMap<number, string>
}

const keyOf: Record<string, string> = {
  like: 'like',
  follow: 'follow',
  mention: 'mention',
  'subscribed-post': 'subscribedPost',
}

/** The expected state, computed without a database. */
class Model {
  records: ExistingRecord[] = []
  readonly suspended = new Set<number>()
  readonly subscriptions = new Set<string>()
  readonly preferences = new Map<string, { list: boolean; include: string }>()

  follows(actor: number, target: number): boolean {
    return this.records.some(({ author, follows }) => author === actor && follows === target)
  }

  /** Reasons and URIs of the list, newest first. */
  listed(actor: number, priority: boolean): string[] {
    return this.records
      .filter(({ author, reasons }) => {
        const reason = reasons.get(actor)
        if (reason === undefined || this.suspended.has(author)) return false
        const { list, include } = this.preferences.get(`${actor} ${keyOf[reason]}`) ?? {
          list: true,
          include: 'all',
        }
        return list && (this.follows(actor, author) || (!priority && include === 'all'))
      })
      .map(({ ref, reasons }) => `${reasons.get(actor)} ${ref.uri}`)
      .reverse()
  }
}

async function perform(
  model: Model,
  accounts: readonly Account[],
  posts: readonly Ref[],
  step: Step,
): Promise<void> {
  const { action, actor, target, on, pick } = step
  const account = accounts[actor] as Account
  const write = async (
    record: Promise<Ref>,
    notified: [number, string][],
    { follows, likes }: { follows?: number; likes?: number } = {},
  ) => {
    const isRepeated = model.records.some(
      (one) =>
        one.author === actor &&
        ((likes !== undefined && one.likes === likes) || (follows !== undefined && one.follows === follows)),
    )
    const others = new Map(isRepeated ? [] : notified.reverse().filter(([to]) => to !== actor))
    model.records.push({ author: actor, ref: await record, reasons: others, follows, likes })
  }
  const writes = action === 'like' || action === 'follow' || action === 'post'
  if (writes && model.suspended.has(actor)) return
  if (action === 'like')
    await write(social.like(account, posts[target] as Ref), [[target, 'like']], { likes: target })
  if (action === 'follow')
    await write(social.follow(account, accounts[target] as Account), [[target, 'follow']], {
      follows: target,
    })
  if (action === 'post') {
    const subscribers = [...accounts.keys()].filter((other) => model.subscriptions.has(`${other} ${actor}`))
    await write(social.post(account, mentions(accounts[target] as Account)), [
      [target, 'mention'],
      ...subscribers.map((other): [number, string] => [other, 'subscribed-post']),
    ])
  }
  if (action === 'remove' || action === 'unfollow') {
    const removable = model.records.filter(
      ({ author, follows }) =>
        !model.suspended.has(author) && (action === 'remove' || (author === actor && follows !== undefined)),
    )
    const chosen = removable[(pick ?? 0) % removable.length]
    if (!chosen) return
    await social.remove(accounts[chosen.author] as Account, chosen.ref)
    model.records = model.records.filter((one) => one !== chosen)
  }
  if (action === 'subscribe' && actor !== target && !model.suspended.has(actor)) {
    body(await social.subscribe(account, accounts[target] as Account, on, false))
    model.subscriptions[on ? 'add' : 'delete'](`${actor} ${target}`)
  }
  if (action === 'suspend') {
    const subject = { $type: 'com.core.admin.defs#repoRef', did: account.did }
    const input = { subject, suspended: { applied: on } }
    body(await social.server.post('com.core.admin.updateSubjectStatus', input, adminAuth))
    model.suspended[on ? 'add' : 'delete'](actor)
  }
  if (action === 'seen' && !model.suspended.has(actor)) {
    const { notifications } = await social.list(account)
    const seenAt =
      notifications[(pick ?? 0) % (notifications.length + 1)]?.indexedAt ?? '2029-01-01T00:00:00.000Z'
    body(await social.call('updateSeen', { seenAt }, account))
  }
  if (action === 'prefer' && !model.suspended.has(actor)) {
    const { list, include, key } = step
    const preference = { list, push: true, ...(key !== 'subscribedPost' && { include }) }
    body(await social.call('putPreferencesV2', { [key]: preference }, account))
    model.preferences.set(`${actor} ${key}`, { list, include: preference.include ?? 'all' })
  }
}

interface Item extends Ref {
  readonly reason: string
  readonly indexedAt: string
  readonly isRead: boolean
}

/** All items of the list. `between` runs after each page. */
async function pages(
  account: Account,
  params: Record<string, string>,
  between?: () => Promise<void>,
): Promise<Item[]> {
  const items: Item[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await social.list(account, { ...params, limit: '2', ...(cursor && { cursor }) })
    items.push(...page.notifications)
    await between?.()
    cursor = page.cursor
    if (cursor === undefined) return items
  }
}

const named = (items: readonly Item[]) => items.map(({ reason, uri }) => `${reason} ${uri}`)

/** Subscribes to an account's stream. @returns functions that return the last unread count and that close the stream */
async function streamedCount({ accessJwt }: Account) {
  const url = `${social.server.url}/xrpc/app.example.notification.subscribe`
  const stream = await listening(url, { headers: { authorization: `Bearer ${accessJwt}` } })
  let last: number | undefined
  const read = async () => {
    for (;;) last = (await stream.next()).payload.count ?? last
  }
  const ended = read().catch(() => {})
  const end = () => {
    stream.close()
    return ended
  }
  return { last: () => last, end }
}

test('list, unread count and stream agree with the model after any sequence of actions', {
  timeout: 300_000,
}, async () => {
  const history = fc.array(step, { minLength: 10, maxLength: 40, size: 'max' })
  await fc.assert(
    fc.asyncProperty(history, fc.array(step, { maxLength: 6 }), async (steps, later) => {
      round++
      const names = Array.from({ length: people }, (_, i) => `p${round}x${i}`)
      const accounts = await Promise.all(names.map((name) => social.server.account(name)))
      const posts: Ref[] = []
      for (const account of accounts) posts.push(await social.post(account))
      const model = new Model()
      const streamed = await Promise.all(accounts.map(streamedCount))
      for (const one of steps) await perform(model, accounts, posts, one as Step)

      for (const [actor, account] of accounts.entries()) {
        const unreadNow = await social.unread(account)
        await expect.poll(() => streamed[actor]?.last(), { interval: 5 }).toBe(unreadNow)
        for (const priority of [false, true]) {
          const params = { priority: String(priority) }
          const items = await pages(account, params)
          expect(named(items)).toEqual(model.listed(actor, priority))
          const times = items.map(({ indexedAt }) => indexedAt)
          expect(times).toEqual([...new Set(times)].sort().reverse())
          const unread = (found: readonly Item[]) => found.filter(({ isRead }) => !isRead).length
          expect(await social.unread(account, params)).toBe(unread(items))
          const seenAt = times[Math.floor(times.length / 2)] ?? '2030-01-01T00:00:00.000Z'
          const since = await pages(account, { ...params, seenAt })
          expect(await social.unread(account, { ...params, seenAt })).toBe(unread(since))
        }
      }

      // Paging during changes returns every notification that exists before and after, once and in order.
      const account = accounts[0] as Account
      const before = model.listed(0, false)
      const seen = named(
        await pages(account, {}, async () => {
          const next = later.pop()
          if (next && !['suspend', 'prefer', 'follow'].includes(next.action)) {
            await perform(model, accounts, posts, next as Step)
          }
        }),
      )
      const after = model.listed(0, false)
      expect(seen).toEqual([...new Set(seen)])
      const lasting = (list: readonly string[]) =>
        list.filter((name) => before.includes(name) && after.includes(name))
      expect(lasting(seen)).toEqual(lasting(before))
      await Promise.all(streamed.map(({ end }) => end()))
    }),
    { numRuns: 25 },
  )
})
