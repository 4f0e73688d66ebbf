/** Data directories with many records of a social network: written through the store's tables, reproducibly. */
import { encode } from '@atproto/lex-cbor'
import { cidForCbor, type LexMap } from '@atproto/lex-data'
import type { DidString } from '@atproto/syntax'
import { createNames } from '../../server/platform/config/aliases.ts'
import { defaultConfig } from '../../server/platform/config/config.ts'
import { createTidClock } from '../../server/repository/format/tid.ts'
import { linkListener } from '../../server/repository/records/link-listener.ts'
import { linksOf } from '../../server/repository/records/links.ts'
import type { RecordEvent } from '../../server/repository/records/record-events.ts'
import { recordUri } from '../../server/repository/records/record-uri.ts'
import { renameRecord } from '../../server/repository/records/rename.ts'
import { subjectReader } from '../../server/repository/records/subjects.ts'
import * as records from '../../server/repository/tables/records.ts'
import type { Database } from '../../server/store/database.ts'
import * as accounts from '../../server/store/tables/accounts.ts'
import { iso } from '../../server/util/time.ts'
import { seededRandom } from '../crash/random.ts'
import { newAccount, openStore } from './seed.ts'

const authors = 100
const replies = 50
const batch = 1000
/** Newest posts that are liked, reposted and answered. */
const recent = 100

interface Ref {
  readonly uri: string
  readonly cid: string
}

interface Draft {
  readonly did: DidString
  readonly collection: `app.example.${string}.${string}`
  readonly content: LexMap
}

/** The data that the measured requests read. */
export interface Seeded {
  /** URI of a post with fifty replies. */
  readonly thread: string
  /** Has at least a hundred posts. */
  readonly author: DidString
}

/**
 * Stores `count` records of a hundred accounts, half of whom the reader follows: a third are posts, the others likes and reposts.
 * The trees of the repositories stay empty, because views do not read them.
 */
export async function seedRecords(dir: string, reader: DidString, count: number): Promise<Seeded> {
  const random = seededRandom(1)
  const store = await openStore(dir)
  const write = writer(store)
  const people = Array.from({ length: authors }, (_, i) => newAccount(i))
  await store.transact((tx) => {
    for (const person of people) accounts.insert(tx, person)
  })
  const anyone = () => people[random(authors)]?.did ?? reader
  await write(
    people.map(({ did }, i) => ({
      did,
      collection: 'app.example.actor.profile',
      content: { displayName: `Person ${i}`, description: 'Grows tomatoes.' },
    })),
  )
  await write(
    people
      .filter((_, i) => i % 2 === 0)
      .map(({ did }) => ({ did: reader, collection: 'app.example.graph.follow', content: { subject: did } })),
  )
  const post = (reply?: LexMap, did = anyone()): Draft => ({
    did,
    collection: 'app.example.feed.post',
    content: {
      text: 'A few words about a post, as people write them, and some more.',
      ...(reply && { reply }),
    },
  })
  const [thread = { uri: '', cid: '' }] = await write([post()])
  await write(Array.from({ length: replies }, () => post({ root: { ...thread }, parent: { ...thread } })))
  const author = people[0]?.did ?? reader
  const posts = await write(Array.from({ length: recent }, () => post(undefined, author)))
  for (let made = 0; made < count; made += batch) {
    const drafts = Array.from({ length: Math.min(batch, count - made) }, (): Draft => {
      const subject = { ...(posts[random(posts.length)] ?? thread) }
      const drawn = random(100)
      if (drawn < 25) return post()
      if (drawn < 33) return post({ root: subject, parent: subject })
      const collection = drawn < 90 ? 'app.example.feed.like' : 'app.example.feed.repost'
      return { did: anyone(), collection, content: { subject } }
    })
    const written = await write(drafts)
    posts.push(
      ...written.filter((_, i) => drafts[i]?.content.text !== undefined && !drafts[i]?.content.reply),
    )
    posts.splice(0, posts.length - recent)
  }
  await store.close()
  return { thread: thread.uri, author }
}

/** Returns a function that writes records, a second apart. */
function writer(store: Database): (drafts: readonly Draft[]) => Promise<Ref[]> {
  let clock = Date.parse('2024-01-01T00:00:00.000Z')
  const nextTid = createTidClock(() => new Date(clock))
  const names = createNames(defaultConfig({ dataDir: '' }).aliases)
  const read = subjectReader(() => undefined, names)
  const prepare = async ({ did, collection, content }: Draft): Promise<Omit<RecordEvent, 'id'>> => {
    clock += 1000
    const at = iso(new Date(clock))
    const record = { $type: collection, ...content, createdAt: at }
    const bytes = encode(renameRecord(record, names, names.stored))
    const cid = (await cidForCbor(bytes)).toString()
    const rkey = collection.endsWith('.profile') ? 'self' : nextTid()
    const links = linksOf(collection, record, read)
    return {
      did,
      collection,
      rkey,
      uri: recordUri(did, names.stored(collection), rkey),
      cid,
      bytes,
      record,
      links,
      at,
    }
  }
  return async (drafts) => {
    const events: Omit<RecordEvent, 'id'>[] = []
    for (const draft of drafts) events.push(await prepare(draft))
    await store.transact((tx) => {
      for (const [i, event] of events.entries()) {
        const collection = drafts[i]?.collection ?? 'app.example.feed.post'
        const id = records.insert(
          tx,
          { ...event, collection: names.stored(collection), indexedAt: event.at },
          [],
        )
        linkListener.recordCreated(tx, { ...event, id })
      }
    })
    return events.map(({ uri, cid }) => ({ uri, cid }))
  }
}
