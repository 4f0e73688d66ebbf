/** Data directories with many notifications: written through the store's tables, reproducibly. */
import { encode } from '@atproto/lex-cbor'
import { cidForCbor, type LexMap } from '@atproto/lex-data'
import type { DidString, NsidString } from '@atproto/syntax'
import * as activitySubscriptions from '../../server/app/tables/activity-subscriptions.ts'
import * as notifications from '../../server/app/tables/notifications.ts'
import type { Reason } from '../../server/app/tables/reasons.ts'
import { createTidClock } from '../../server/repository/format/tid.ts'
import { firstCommit } from '../../server/repository/records/commit.ts'
import { recordUri } from '../../server/repository/records/record-uri.ts'
import * as links from '../../server/repository/tables/links.ts'
import * as records from '../../server/repository/tables/records.ts'
import * as repos from '../../server/repository/tables/repos.ts'
import * as accounts from '../../server/store/tables/accounts.ts'
import * as actors from '../../server/store/tables/actors.ts'
import { type DatetimeString, iso } from '../../server/util/time.ts'
import { type Random, seededRandom } from '../crash/random.ts'
import { newAccount, openStore } from './seed.ts'

const authors = 1000
const batch = 1000
const feed = 'app.bsky.feed'

interface SeededNotification {
  readonly reason: Reason
  readonly record: Omit<records.StoredRecord, 'id'>
}

/** Shares of the reasons in percent, cumulative: 70 likes, 10 reposts, 12 replies and so on. */
const kinds: readonly { reason: Reason; collection: NsidString; upTo: number }[] = [
  { reason: 'like', collection: `${feed}.like`, upTo: 70 },
  { reason: 'repost', collection: `${feed}.repost`, upTo: 80 },
  { reason: 'reply', collection: `${feed}.post`, upTo: 92 },
  { reason: 'quote', collection: `${feed}.post`, upTo: 97 },
  { reason: 'mention', collection: `${feed}.post`, upTo: 100 },
]

const pathOf: Readonly<Partial<Record<Reason, links.Link['path']>>> = {
  like: 1,
  repost: 3,
  reply: 5,
  quote: 7,
  mention: 8,
}

/**
 * Gives an account `count` unseen notifications of records by a thousand authors, half of whom it follows. Stores the records;
 * the trees of the repositories stay empty, because notifications do not read them.
 */
export async function seedNotifications(dir: string, did: DidString, count: number): Promise<void> {
  const random = seededRandom(count)
  const store = await openStore(dir)
  let clock = Date.parse('2020-01-01T00:00:00.000Z')
  const nextTid = createTidClock(() => new Date(clock))
  const people = Array.from({ length: authors }, (_, i) => newAccount(i))
  const starts = await Promise.all(
    people.map((person) => firstCommit({ did: person.did, rev: nextTid() }, person.signingKey)),
  )
  const followed: Omit<records.StoredRecord, 'id'>[] = []
  for (const person of people.filter((_, i) => i % 2 === 0))
    followed.push(await newFollow(did, person.did, nextTid()))
  await store.transact((tx) => {
    for (const [i, person] of people.entries()) {
      accounts.insert(tx, person)
      const { head, blocks } = starts[i] as (typeof starts)[number]
      repos.insert(tx, person.did, head, blocks)
    }
    const actor = actors.ensure(tx, did)
    for (const [i, follow] of followed.entries()) {
      const subject = people[i * 2]?.did ?? did
      links.insert(tx, { record: records.insert(tx, follow, []), actor }, [{ path: 9, did: subject }])
    }
  })

  const postKey = { collection: `${feed}.post`, rkey: nextTid() } as const
  const post = recordUri(did, postKey.collection, postKey.rkey)
  for (let made = 0; made < count; made += batch) {
    const seeded: SeededNotification[] = []
    for (let i = made; i < Math.min(made + batch, count); i++) {
      clock += 60_000
      const author = people[random(authors)] as (typeof people)[number]
      seeded.push(await newRecord(author.did, post, nextTid(), iso(new Date(clock)), random))
    }
    await store.transact((tx) => {
      for (const { reason, record } of seeded) {
        const from = { record: records.insert(tx, record, []), actor: actors.ensure(tx, record.did) }
        links.insert(tx, from, [
          { path: pathOf[reason] ?? 5, did, record: reason === 'mention' ? undefined : postKey },
        ])
        const subject = reason === 'mention' ? undefined : { did, ...postKey }
        notifications.insert(tx, record, [{ to: did, reason, subject }], record.indexedAt)
      }
      notifications.setLastArrival(tx, clock)
    })
  }
  await store.close()
}

async function newFollow(did: DidString, subject: DidString, rkey: string) {
  const collection = 'app.bsky.graph.follow' as const
  const createdAt: DatetimeString = '2020-01-01T00:00:00.000Z'
  const bytes = encode({ $type: collection, subject, createdAt })
  const cid = (await cidForCbor(bytes)).toString()
  return { did, collection, rkey, cid, bytes, indexedAt: createdAt }
}

async function newRecord(
  did: DidString,
  post: string,
  rkey: string,
  createdAt: DatetimeString,
  random: Random,
): Promise<SeededNotification> {
  const drawn = random(100)
  const { reason, collection } = kinds.find(({ upTo }) => drawn < upTo) as (typeof kinds)[number]
  const subject = { uri: post, cid: 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a' }
  const content: LexMap =
    collection === `${feed}.post`
      ? { text: 'A few words about a post, as people write them.', reply: { parent: subject, root: subject } }
      : { subject }
  const bytes = encode({ $type: collection, ...content, createdAt })
  const cid = (await cidForCbor(bytes)).toString()
  return { reason, record: { did, collection, rkey, cid, bytes, indexedAt: createdAt } }
}

/** Subscribes `count` new accounts to the posts of an account. Their DIDs sort first. */
export async function seedSubscribers(dir: string, subject: DidString, count: number): Promise<void> {
  const store = await openStore(dir)
  for (let made = 0; made < count; made += batch) {
    await store.transact((tx) => {
      for (let i = made; i < Math.min(made + batch, count); i++) {
        const person = newAccount(i)
        accounts.insert(tx, person)
        const { did, createdAt } = person
        activitySubscriptions.put(tx, did, { subject, post: 1, reply: 1, createdAt })
      }
    })
  }
  await store.close()
}
