/** Random histories: what is listed, counted and streamed is what a simple model says, whatever happened and in whatever order. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listening } from '../../support/listener.ts'
import { type Account, adminAuth } from '../../support/server.ts'
import { body, mentions, type Ref, SocialServer } from '../../support/social.ts'

let world: SocialServer
let round = 0

beforeAll(async () => {
  world = await SocialServer.start()
})
afterAll(() => world.close())

const people = 3
const person = fc.nat({ max: people - 1 })
const key = fc.constantFrom('like', 'follow', 'mention', 'subscribedPost')
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant('like'), who: person, whom: person }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('follow'), who: person, whom: person }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('post'), who: person, whom: person }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('remove'), pick: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('unfollow'), who: person }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('subscribe'), who: person, whom: person, on: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('suspend'), who: person, on: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('seen'), who: person, pick: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('prefer'),
      who: person,
      key,
      list: fc.boolean(),
      include: fc.constantFrom('all', 'follows'),
    }),
  },
)
type Step = {
  does: string
  who: number
  whom: number
  on: boolean
  pick?: number
  key: string
  list: boolean
  include: string
}

/** A record that exists, and whom it has told what. */
interface Live {
  readonly author: number
  readonly ref: Ref
  readonly follows: number | undefined
  readonly told: ReadonlyMap<number, string>
}

const keyOf: Record<string, string> = {
  like: 'like',
  follow: 'follow',
  mention: 'mention',
  'subscribed-post': 'subscribedPost',
}

/** What there is to know of a history, in the plainest form. */
class Model {
  live: Live[] = []
  readonly suspended = new Set<number>()
  readonly subscriptions = new Set<string>()
  readonly preferences = new Map<string, { list: boolean; include: string }>()

  follows(who: number, whom: number): boolean {
    return this.live.some(({ author, follows }) => author === who && follows === whom)
  }

  /** URIs and reasons that a list shows, the newest first. */
  shown(who: number, priority: boolean): string[] {
    return this.live
      .filter(({ author, told }) => {
        const reason = told.get(who)
        if (reason === undefined || this.suspended.has(author)) return false
        const { list, include } = this.preferences.get(`${who} ${keyOf[reason]}`) ?? {
          list: true,
          include: 'all',
        }
        return list && (this.follows(who, author) || (!priority && include === 'all'))
      })
      .map(({ ref, told }) => `${told.get(who)} ${ref.uri}`)
      .reverse()
  }
}

async function play(
  model: Model,
  accounts: readonly Account[],
  posts: readonly Ref[],
  step: Step,
): Promise<void> {
  const { does, who, whom, on, pick } = step
  const account = accounts[who] as Account
  const write = async (record: Promise<Ref>, told: [number, string][], follows?: number) => {
    const others = new Map(told.reverse().filter(([to]) => to !== who))
    model.live.push({ author: who, ref: await record, told: others, follows })
  }
  const writes = does === 'like' || does === 'follow' || does === 'post'
  if (writes && model.suspended.has(who)) return
  if (does === 'like') await write(world.like(account, posts[whom] as Ref), [[whom, 'like']])
  if (does === 'follow')
    await write(world.follow(account, accounts[whom] as Account), [[whom, 'follow']], whom)
  if (does === 'post') {
    const subscribers = [...accounts.keys()].filter((other) => model.subscriptions.has(`${other} ${who}`))
    await write(world.post(account, mentions(accounts[whom] as Account)), [
      [whom, 'mention'],
      ...subscribers.map((other): [number, string] => [other, 'subscribed-post']),
    ])
  }
  if (does === 'remove' || does === 'unfollow') {
    const removable = model.live.filter(
      ({ author, follows }) =>
        !model.suspended.has(author) && (does === 'remove' || (author === who && follows !== undefined)),
    )
    const chosen = removable[(pick ?? 0) % removable.length]
    if (!chosen) return
    await world.remove(accounts[chosen.author] as Account, chosen.ref)
    model.live = model.live.filter((one) => one !== chosen)
  }
  if (does === 'subscribe' && who !== whom && !model.suspended.has(who)) {
    body(await world.subscribe(account, accounts[whom] as Account, on, false))
    model.subscriptions[on ? 'add' : 'delete'](`${who} ${whom}`)
  }
  if (does === 'suspend') {
    const subject = { $type: 'com.core.admin.defs#repoRef', did: account.did }
    const input = { subject, suspended: { applied: on } }
    body(await world.server.post('com.core.admin.updateSubjectStatus', input, adminAuth))
    model.suspended[on ? 'add' : 'delete'](who)
  }
  if (does === 'seen' && !model.suspended.has(who)) {
    const { notifications } = await world.list(account)
    const seenAt =
      notifications[(pick ?? 0) % (notifications.length + 1)]?.indexedAt ?? '2029-01-01T00:00:00.000Z'
    body(await world.call('updateSeen', { seenAt }, account))
  }
  if (does === 'prefer' && !model.suspended.has(who)) {
    const { list, include, key } = step
    const preference = { list, push: true, ...(key !== 'subscribedPost' && { include }) }
    body(await world.call('putPreferencesV2', { [key]: preference }, account))
    model.preferences.set(`${who} ${key}`, { list, include: preference.include ?? 'all' })
  }
}

interface Item extends Ref {
  readonly reason: string
  readonly indexedAt: string
  readonly isRead: boolean
}

/** Every item of the list, page by page. `between` runs after each page. */
async function pages(
  account: Account,
  params: Record<string, string>,
  between?: () => Promise<void>,
): Promise<Item[]> {
  const items: Item[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await world.list(account, { ...params, limit: '2', ...(cursor && { cursor }) })
    items.push(...page.notifications)
    await between?.()
    cursor = page.cursor
    if (cursor === undefined) return items
  }
}

const named = (items: readonly Item[]) => items.map(({ reason, uri }) => `${reason} ${uri}`)

/** Listens in the name of an account. @returns what tells the unread count as it was streamed last, and what ends it */
async function streamedCount({ accessJwt }: Account) {
  const url = `${world.server.url}/xrpc/app.example.notification.subscribe`
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

test('histories', { timeout: 120_000 }, async () => {
  const history = fc.array(step, { minLength: 10, maxLength: 40, size: 'max' })
  await fc.assert(
    fc.asyncProperty(history, fc.array(step, { maxLength: 6 }), async (steps, later) => {
      round++
      const names = Array.from({ length: people }, (_, i) => `p${round}x${i}`)
      const accounts = await Promise.all(names.map((name) => world.server.account(name)))
      const posts: Ref[] = []
      for (const account of accounts) posts.push(await world.post(account))
      const model = new Model()
      const streamed = await Promise.all(accounts.map(streamedCount))
      for (const one of steps) await play(model, accounts, posts, one as Step)

      for (const [who, account] of accounts.entries()) {
        const unreadNow = await world.unread(account)
        await expect.poll(() => streamed[who]?.last(), { interval: 5 }).toBe(unreadNow)
        for (const priority of [false, true]) {
          const params = { priority: String(priority) }
          const items = await pages(account, params)
          expect(named(items)).toEqual(model.shown(who, priority))
          const times = items.map(({ indexedAt }) => indexedAt)
          expect(times).toEqual([...new Set(times)].sort().reverse())
          const unread = (found: readonly Item[]) => found.filter(({ isRead }) => !isRead).length
          expect(await world.unread(account, params)).toBe(unread(items))
          const seenAt = times[Math.floor(times.length / 2)] ?? '2030-01-01T00:00:00.000Z'
          const since = await pages(account, { ...params, seenAt })
          expect(await world.unread(account, { ...params, seenAt })).toBe(unread(since))
        }
      }

      // What is shown before and after is shown on the way, once and in order, whatever else comes and goes.
      const account = accounts[0] as Account
      const before = model.shown(0, false)
      const seen = named(
        await pages(account, {}, async () => {
          const next = later.pop()
          if (next && !['suspend', 'prefer', 'follow'].includes(next.does)) {
            await play(model, accounts, posts, next as Step)
          }
        }),
      )
      const after = model.shown(0, false)
      expect(seen).toEqual([...new Set(seen)])
      const lasting = (list: readonly string[]) =>
        list.filter((name) => before.includes(name) && after.includes(name))
      expect(lasting(seen)).toEqual(lasting(before))
      await Promise.all(streamed.map(({ end }) => end()))
    }),
    { numRuns: 25 },
  )
})
