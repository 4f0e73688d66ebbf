/**
 * A data folder of a given size, as years of use leave it: accounts here with signed repositories, actors of other servers with their
 * posts, and the likes, reposts, replies and follows between them with their notifications. Reproducible but for keys of records.
 */
import { encode } from '@atproto/lex-cbor'
import { type LexMap, parseCid } from '@atproto/lex-data'
import type { DidString, HandleString, NsidString } from '@atproto/syntax'
import * as notifications from '../../../server/app/tables/notifications.ts'
import type { Reason } from '../../../server/app/tables/reasons.ts'
import * as remoteActors from '../../../server/federation/tables/remote-actors.ts'
import * as remoteRecords from '../../../server/federation/tables/remote-records.ts'
import { createPasswordHasher } from '../../../server/identity/auth/passwords.ts'
import { createNames } from '../../../server/platform/config/aliases.ts'
import { defaultConfig } from '../../../server/platform/config/config.ts'
import { createTidClock } from '../../../server/repository/format/tid.ts'
import { firstCommit, signCommit } from '../../../server/repository/records/commit.ts'
import { linkListener } from '../../../server/repository/records/link-listener.ts'
import { linksOf } from '../../../server/repository/records/links.ts'
import { recordUri } from '../../../server/repository/records/record-uri.ts'
import { subjectReader } from '../../../server/repository/records/subjects.ts'
import * as records from '../../../server/repository/tables/records.ts'
import * as repos from '../../../server/repository/tables/repos.ts'
import * as accounts from '../../../server/store/tables/accounts.ts'
import { cborCid } from '../../../server/util/cid.ts'
import { loadSigningKey, signerOf } from '../../../server/util/keys.ts'
import { iso } from '../../../server/util/time.ts'
import { type Random, seededRandom } from '../../crash/random.ts'
import { type Block, layerOf, nodeOf } from '../../support/records/archive.ts'
import { newAccount } from '../seed.ts'
import { NativeStore } from './native-store.ts'

export const password = 'password of the bench'
/** Accounts here, besides the large one. */
const people = 11
/** Of a store of 1 GB: records of the large account, and actors of other servers. */
const perGigabyte = { large: 100_000, remote: 20_000 }
/** Actors of other servers that an account here follows. */
const followed = 40
/** Newest posts that are liked, reposted and answered. */
const recent = 300
/** Threads at a time that get most replies. */
const popular = 5
/** What a record adds to the tree of its repository, in bytes of the database. */
const treeBytes = 140
/** Blocks of a statement. */
const blocksAtOnce = 500

export interface Person {
  readonly did: DidString
  readonly handle: HandleString
}

export interface BigData {
  readonly dir: string
  readonly bytes: number
  readonly records: number
  readonly seconds: number
  /** Accounts here. Their password is `password`. */
  readonly people: readonly Person[]
  /** An account with many records. */
  readonly large: Person & { readonly records: number }
  /** Actors here and elsewhere with at least some posts. */
  readonly authors: readonly DidString[]
  /** URIs of posts with about 30 replies. */
  readonly threads: readonly string[]
}

interface Author extends Person {
  /** Here: of its account. */
  readonly signingKey?: Uint8Array
  /** Here: keys and CIDs of its records. */
  readonly leaves: { readonly key: string; readonly cid: string }[]
}

interface Post {
  readonly author: Author
  readonly rkey: string
  readonly uri: string
  readonly cid: string
}

type Kind = 'feed.post' | 'feed.like' | 'feed.repost' | 'graph.follow' | 'actor.profile'

/** Fills an empty folder until the database has about `bytes`. */
export async function seedBig(dir: string, bytes: number): Promise<BigData> {
  const begin = performance.now()
  using store = await NativeStore.create(dir)
  const passwords = createPasswordHasher({ cost: 4 })
  const passwordHash = await passwords.hash(password, 'bench').finally(() => passwords.close())
  const seeder = new Seeder(store, passwordHash)
  const share = bytes / 1e9
  const here: Author[] = []
  for (let i = 0; i <= people; i++) here.push(await seeder.addAccount(i))
  const [large, ...others] = here as [Author, ...Author[]]
  await seeder.startRepositories(here)
  const elsewhere = Array.from({ length: Math.max(followed, perGigabyte.remote * share) }, (_, i) =>
    seeder.addRemote(i),
  )
  for (const person of others) {
    for (const other of [...others, ...seeder.some(elsewhere, followed)]) seeder.follow(person, other)
  }
  seeder.posts.push(...elsewhere.slice(0, recent).map((author) => seeder.post(author)))
  const largeRecords = Math.round(perGigabyte.large * share)
  while (large.leaves.length < largeRecords) seeder.addByPerson(large, false)
  while (seeder.bytes < bytes) {
    for (let i = 0; i < 100; i++) {
      if (i < 40) seeder.addByPerson(seeder.one(others), true)
      else seeder.addByRemote(seeder.one(elsewhere), seeder.one(others))
    }
  }
  for (const author of here) seeder.finishRepository(author)
  return {
    dir,
    bytes: store.bytes,
    records: seeder.records,
    seconds: (performance.now() - begin) / 1000,
    people: others,
    large: { ...large, records: large.leaves.length },
    authors: [...others, ...elsewhere.slice(0, 1000)].map(({ did }) => did),
    threads: seeder.threads,
  }
}

class Seeder {
  records = 0
  /** The newest ones. */
  readonly posts: Post[] = []
  /** Posts of people here that are answered most; the last ones still are. */
  readonly threads: string[] = []
  readonly #answered: Post[] = []
  readonly #store: NativeStore
  readonly #random: Random = seededRandom(1)
  readonly #names = createNames(defaultConfig({ dataDir: '' }).aliases)
  readonly #readSubject = subjectReader(() => undefined, this.#names)
  readonly #passwordHash: string
  readonly #now = Date.now()
  #clock = Date.parse('2021-01-01T00:00:00.000Z')
  readonly #nextTid = createTidClock(() => new Date(this.#clock))
  #leaves = 0

  constructor(store: NativeStore, passwordHash: string) {
    this.#store = store
    this.#passwordHash = passwordHash
  }

  /** Of the database, with the trees that `finishRepository` adds. */
  get bytes(): number {
    return this.#store.bytes + this.#leaves * treeBytes
  }

  one<Item>(items: readonly Item[]): Item {
    return items[this.#random(items.length)] as Item
  }

  some<Item>(items: readonly Item[], count: number): Item[] {
    const start = this.#random(items.length - count + 1)
    return items.slice(start, start + count)
  }

  /** An account whose identity is published by its holder, so that the server asks no directory. */
  async addAccount(i: number): Promise<Author> {
    const account = newAccount(i)
    const { did: signingKeyDid } = await loadSigningKey(account.signingKey)
    const changed = { passwordHash: this.#passwordHash, isMinted: false, plcOperation: null, signingKeyDid }
    accounts.insert(this.#store, { ...account, ...changed })
    return { ...account, leaves: [] }
  }

  async startRepositories(authors: readonly Author[]): Promise<void> {
    for (const { did, signingKey = new Uint8Array() } of authors) {
      const { head, blocks } = await firstCommit({ did, rev: this.#nextTid() }, signingKey)
      repos.insert(this.#store, did, head, blocks)
    }
    for (const [i, author] of authors.entries()) this.#addProfile(author, i)
  }

  addRemote(i: number): Author {
    const handle: HandleString = `remote-${i}.example.test`
    const did: DidString = `did:plc:r${String(i).padStart(23, '0')}`
    const author = { did, handle, leaves: [] }
    this.#addProfile(author, i)
    const signingKey = 'did:key:zDnaembgSGUhZULN2Caob4HLJPaxBh92N7rtH21TErzqf8HQo'
    // No request leaves this machine: the host is not permitted.
    const identity = { handle, hostHandle: null, host: 'https://127.0.0.1', signingKey } as const
    remoteActors.put(this.#store, did, { ...identity, resolvedAt: this.#now })
    remoteActors.setRefreshed(this.#store, did, this.#now)
    return author
  }

  #addProfile(author: Author, i: number): void {
    this.#add(author, 'actor.profile', { displayName: `Person ${i}`, description: this.#text(100) })
  }

  follow(author: Author, { did }: Author): void {
    this.#add(author, 'graph.follow', { subject: did })
  }

  post(author: Author, to?: Post): Post {
    const subject = to && { uri: to.uri, cid: to.cid }
    const hasCard = this.#random(2) === 0
    return this.#add(author, 'feed.post', {
      text: this.#text(30 + this.#random(260)),
      langs: ['en'],
      ...(subject && { reply: { root: subject, parent: subject } }),
      ...(hasCard && { embed: { $type: 'app.bsky.embed.external', external: this.#card() } }),
    })
  }

  /**
   * A record of an account here: posts, replies, likes and reposts.
   * @param startsThreads whether some of its posts are answered most for a while
   */
  addByPerson(author: Author, startsThreads: boolean): void {
    const drawn = this.#random(100)
    if (drawn < 40) this.#publish(this.post(author), startsThreads && drawn === 0)
    else if (drawn < 50) this.post(author, this.#answeredPost())
    else this.#refer(author, drawn < 90 ? 'like' : 'repost', this.one(this.posts))
  }

  /** A record of an actor elsewhere: two thirds are posts, most others notify accounts here. */
  addByRemote(author: Author, person: Author): void {
    const drawn = this.#random(100)
    if (drawn < 65) this.#publish(this.post(author), false)
    else if (drawn < 75) this.#reply(author, this.#answeredPost())
    else if (drawn < 77) {
      this.#notify(
        this.#add(author, 'graph.follow', { subject: person.did }),
        'graph.follow',
        person,
        'follow',
      )
    } else this.#refer(author, drawn < 96 ? 'like' : 'repost', this.one(this.posts))
  }

  /** Lets later records refer to a post. */
  #publish(post: Post, isPopular: boolean): void {
    this.posts.push(post)
    if (this.posts.length > recent) this.posts.shift()
    if (!isPopular) return
    this.threads.push(post.uri)
    this.#answered.push(post)
    if (this.#answered.length > popular) this.#answered.shift()
  }

  #answeredPost(): Post {
    return this.one(this.#answered.length > 0 ? this.#answered : this.posts)
  }

  #reply(author: Author, to: Post): void {
    this.#notify(this.post(author, to), 'feed.post', to.author, 'reply', to)
  }

  #refer(author: Author, reason: 'like' | 'repost', to: Post): void {
    const subject = { uri: to.uri, cid: to.cid }
    this.#notify(this.#add(author, `feed.${reason}`, { subject }), `feed.${reason}`, to.author, reason, to)
  }

  /** Notifies an account here of a record by someone else. */
  #notify({ author, rkey }: Post, kind: Kind, to: Author, reason: Reason, about?: Post): void {
    if (!to.signingKey || to === author) return
    const subject = about && { did: to.did, collection: 'app.bsky.feed.post', rkey: about.rkey }
    const source = { did: author.did, collection: `app.bsky.${kind}`, rkey }
    const at = iso(new Date(this.#clock))
    notifications.insert(this.#store, source, [{ to: to.did, reason, subject }], at)
    notifications.setLastArrival(this.#store, this.#clock)
  }

  #add(author: Author, kind: Kind, content: LexMap): Post {
    this.#clock += 60_000
    this.records++
    const { did } = author
    const at = iso(new Date(this.#clock))
    const collection: NsidString = `app.bsky.${kind}`
    const record = { $type: collection, ...content, createdAt: at }
    const bytes = encode(record)
    const cid = cborCid(bytes)
    const rkey = kind === 'actor.profile' ? 'self' : this.#nextTid()
    const isHere = author.signingKey !== undefined
    const row = { did, collection, rkey, cid, bytes, indexedAt: at }
    const id = records.insert(this.#store, row, [], isHere ? null : this.#nextTid())
    const own = this.#names.own(collection)
    const uri = recordUri(did, collection, rkey)
    const links = linksOf(own, record, this.#readSubject)
    linkListener.recordCreated(this.#store, { ...row, id, collection: own, uri, record, links, at })
    if (isHere) {
      author.leaves.push({ key: `${collection}/${rkey}`, cid })
      this.#leaves++
    } else if (kind === 'feed.post' || kind === 'feed.repost') {
      remoteRecords.putFeedItem(this.#store, id, this.#clock)
    }
    return { author, rkey, uri, cid }
  }

  /** Words of together about `length` characters. */
  #text(length: number): string {
    const start = this.#random(words.length - length)
    return words.slice(start, start + length)
  }

  #card(): LexMap {
    const uri = `https://news.example/${this.#text(40).replaceAll(' ', '-')}`
    return { uri, title: this.#text(80), description: this.#text(300) }
  }

  /** Stores the tree of a repository and signs its commit. */
  finishRepository({ did, signingKey = new Uint8Array(), leaves }: Author): void {
    const before = repos.findHead(this.#store, did)
    if (!before) throw new Error(`${did} has no repository`)
    const sorted = leaves
      .map(({ key, cid }) => ({ key, layer: layerOf(key), cid: parseCid(cid) }))
      .sort((a, b) => (a.key < b.key ? -1 : 1))
    const nodes: Block[] = []
    const layer = sorted.reduce((highest, leaf) => Math.max(highest, leaf.layer), 0)
    const tree = nodeOf(sorted, layer, nodes).toString()
    const { head, block } = signCommit({ did, rev: this.#nextTid(), tree }, signerOf(signingKey))
    const blocks = [block, ...nodes.map(({ cid, bytes }) => ({ cid: cid.toString(), bytes }))]
    let base = before.commit
    let removed = [before.commit, before.tree]
    for (let at = 0; at < blocks.length; at += blocksAtOnce) {
      const added = blocks.slice(at, at + blocksAtOnce)
      repos.advance(this.#store, did, base, head, { added, removed })
      base = head.commit
      removed = []
    }
  }
}

/** A megabyte of words without sense. */
const words = wordsOf(seededRandom(2), 170_000)

function wordsOf(random: Random, count: number): string {
  const parts = 'al be con da ex for gra her in jo lu mor no per sto un'.split(' ')
  const word = () => Array.from({ length: 1 + random(4) }, () => parts[random(parts.length)]).join('')
  return Array.from({ length: count }, word).join(' ')
}
