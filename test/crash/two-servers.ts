/**
 * `node test/crash/two-servers.ts [MINUTES] [SEED]`: accounts of two servers that read each other's streams act at random, while the
 * servers are killed at random. At the end the notifications and counts of both are compared with the repositories.
 */
import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { inspect } from 'node:util'
import { tidOf } from '../support/records/tid.ts'
import { PeerServer } from '../support/server/peer-server.ts'
import { type Account, type Answer, adminAuth } from '../support/server/server.ts'
import { createdAt, feed, graph, mentions, type Ref } from '../support/server/social.ts'
import { expectedNotifications, type StoredRecord } from './expected-notifications.ts'
import { seededRandom } from './random.ts'

const minutes = Number(process.argv[2] ?? 10)
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000)
const random = seededRandom(seed)
const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T

/** Each has 300 changes per hour that count elsewhere. */
const accountsPerSide = 60
const actionsPerSecond = 20

interface Actor {
  readonly server: PeerServer
  readonly account: Account
  /** Keys are unique, so that a repeated call is the same one. */
  count: number
}

const servers = await Promise.all([PeerServer.start(), PeerServer.start()])
const [here, there] = servers
const actors: Actor[] = []
for (let number = 0; number < accountsPerSide; number++) {
  for (const server of servers)
    actors.push({ server, account: await server.account(`person${number}`), count: 0 })
}
for (const [server, other] of [
  [here, there],
  [there, here],
] as const) {
  for (const { url } of other.addresses) await server.follow(url)
}
const subscriptions = await subscribe()

const posts: Ref[] = []
/** Posts that answer none. Replies answer these: what is notified further up depends on the time of edits and deletions. */
const openings: Ref[] = []
const reposts: { readonly ref: Ref; readonly subject: Ref }[] = []
const deletable: { readonly actor: Actor; readonly ref: Ref }[] = []
const editable: { readonly actor: Actor; readonly ref: Ref }[] = []
let actions = 0
let kills = 0
print(`seed ${seed}, ${minutes} minutes`)

const end = Date.now() + minutes * 60_000
const killers = servers.map(async (server) => {
  while (Date.now() < end) {
    await setTimeout(5000 + random(15_000))
    await server.restart()
    kills++
  }
})
const workers = Array.from({ length: 4 }, async () => {
  while (Date.now() < end) {
    await act(pick(actors))
    actions++
    await setTimeout(4000 / actionsPerSecond)
  }
})
await Promise.all([...killers, ...workers])
print(`${actions} actions, ${kills} kills`)

const stored = (await Promise.all(actors.map(recordsOf))).flat()
const uris = new Set(stored.map(({ uri }) => uri))
let failures = 0
for (const server of servers) await reconnect(server)
for (const actor of actors) await compare(actor)
for (const actor of actors) await compareCounts(actor)
print(failures === 0 ? 'all notifications and counts as expected' : `${failures} differences`)
for (const server of servers) {
  if (failures > 0) print(inspect(await upstreamsOf(server), { depth: null }))
  process.stderr.write(server.errors)
  await server.close()
}
process.exit(failures === 0 ? 0 : 1)

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Has a server connect at once, instead of after a delay that grew while the other one was down. */
async function reconnect(server: PeerServer): Promise<void> {
  for (const { url } of await upstreamsOf(server)) {
    ok(await server.post('com.core.admin.retryUpstream', { url }, adminAuth))
  }
}

async function upstreamsOf(server: PeerServer): Promise<{ readonly url: string }[]> {
  return ok(await server.get('com.core.admin.listUpstreams', {}, adminAuth)).upstreams
}

/** Every tenth account subscribes to posts of an account of the other side, which never edits posts. */
async function subscribe(): Promise<Map<string, Set<string>>> {
  const subscribers = new Map<string, Set<string>>()
  for (const [index, { server, account }] of actors.entries()) {
    if (index % 10 > 1) continue
    const author = actors[(index + 1) % actors.length] as Actor
    const input = { subject: author.account.did, activitySubscription: { post: true, reply: true } }
    ok(await server.post('app.example.notification.putActivitySubscription', input, account))
    subscribers.set(author.account.did, new Set([account.did]))
  }
  return subscribers
}

async function act(actor: Actor): Promise<void> {
  const subject = posts.length > 0 && random(10) > 0 ? pick(posts) : undefined
  const { account } = actor
  switch (subject ? random(11) : 0) {
    case 0:
      return addPost(actor, {})
    case 1:
    case 2:
      return addPost(actor, { reply: { parent: pick(openings), root: pick(posts) } })
    case 3:
      return addPost(actor, { embed: { $type: 'app.example.embed.record', record: subject } })
    case 4:
      return addPost(actor, mentions(pick(actors).account, pick(actors).account))
    case 5:
    case 6:
      return void (await put(actor, `${feed}.like`, { subject, createdAt }))
    case 7: {
      const ref = await put(actor, `${feed}.repost`, { subject, createdAt })
      reposts.push({ ref, subject: subject as Ref })
      return
    }
    case 8: {
      if (reposts.length === 0) return
      const via = pick(reposts)
      return void (await put(actor, `${feed}.like`, { subject: via.subject, via: via.ref, createdAt }))
    }
    case 9: {
      const followed = pick(actors).account
      const rkey = tidOf(1_000_000 + actors.findIndex((one) => one.account === followed))
      if (followed.did === account.did) return
      return void (await put(actor, `${graph}.follow`, { subject: followed.did, createdAt }, rkey))
    }
    default:
      return random(2) === 0 ? edit() : remove()
  }
}

async function addPost(actor: Actor, more: object): Promise<void> {
  const ref = await put(actor, `${feed}.post`, { text: 'a post', createdAt, ...more })
  posts.push(ref)
  if (!('reply' in more)) openings.push(ref)
  if (!subscriptions.has(actor.account.did)) editable.push({ actor, ref })
}

async function edit(): Promise<void> {
  if (editable.length === 0) return
  const { actor, ref } = pick(editable)
  const changed = random(2) === 0 ? {} : mentions(pick(actors).account)
  const rkey = ref.uri.split('/').at(-1) ?? ''
  await put(actor, `${feed}.post`, { text: `edit ${actor.count}`, createdAt, ...changed }, rkey)
}

async function remove(): Promise<void> {
  const [removed] = deletable.splice(random(deletable.length), 1)
  if (!removed) return
  const { actor, ref } = removed
  const index = editable.findIndex((one) => one.ref.uri === ref.uri)
  if (index >= 0) editable.splice(index, 1)
  const [, , repo, collection, rkey] = ref.uri.split('/')
  const { server, account } = actor
  ok(
    await server.insist(() => server.post('com.core.repo.deleteRecord', { repo, collection, rkey }, account)),
  )
}

async function put(
  actor: Actor,
  collection: string,
  record: object,
  rkey = tidOf(++actor.count),
): Promise<Ref> {
  const { server, account } = actor
  const input = { repo: account.did, collection, rkey, record }
  const { uri, cid } = ok(await server.insist(() => server.post('com.core.repo.putRecord', input, account)))
  const ref = { uri, cid }
  if (!deletable.some((one) => one.ref.uri === uri)) deletable.push({ actor, ref })
  return ref
}

async function recordsOf({ server, account }: Actor): Promise<StoredRecord[]> {
  const collections = [`${feed}.post`, `${feed}.like`, `${feed}.repost`, `${graph}.follow`]
  const found: StoredRecord[] = []
  for (const collection of collections) {
    let cursor: string | undefined
    do {
      const params = { repo: account.did, collection, limit: '100', ...(cursor && { cursor }) }
      // Connections from before the last kill are still in the pool.
      const page = ok(await server.insist(() => server.get('com.core.repo.listRecords', params)))
      found.push(...page.records)
      cursor = page.cursor
    } while (cursor)
  }
  return found
}

/** Waits up to two minutes for the notifications of an account to be as expected. */
async function compare({ server, account }: Actor): Promise<void> {
  const expected = expectedNotifications(account.did, stored, subscriptions).filter(isCertain)
  for (let tries = 0; ; tries++) {
    const found = (await notificationsOf(server, account)).filter(isCertain)
    try {
      assert.deepEqual(found, expected)
      return
    } catch {
      if (tries < 120 && failures === 0) {
        await setTimeout(1000)
        continue
      }
      failures++
      const missing = expected.filter((line) => !found.includes(line))
      const extra = found.filter((line, at) => !expected.includes(line) || found.indexOf(line) !== at)
      print(`${account.handle} ${server === here ? 'here' : 'there'}: ${inspect({ missing, extra })}`)
      return
    }
  }
}

/** Compares the likes, reposts and quotes of the posts of an account with the records that refer to them. */
async function compareCounts({ server, account }: Actor): Promise<void> {
  const own = stored.filter(({ uri }) => uri.startsWith(`at://${account.did}/${feed}.post/`))
  for (let from = 0; from < own.length; from += 25) {
    const params = { uris: own.slice(from, from + 25).map(({ uri }) => uri) }
    const { posts: found } = ok(await server.get('app.example.feed.getPosts', params, account))
    for (const { uri, likeCount, repostCount, quoteCount } of found) {
      const expected = expectedCounts(uri)
      if (likeCount + repostCount + quoteCount === expected.total) continue
      failures++
      print(`${uri}: ${inspect({ likeCount, repostCount, quoteCount, expected })}`)
    }
  }
}

function expectedCounts(uri: string) {
  const authors = (kind: string) =>
    new Set(
      stored
        .filter((record) => record.uri.includes(`/${feed}.${kind}/`) && record.value.subject.uri === uri)
        .map((record) => record.uri.split('/')[2]),
    ).size
  const quotes = stored.filter(({ value }) => value.embed?.record.uri === uri).length
  const [likes, reposts] = [authors('like'), authors('repost')]
  return { likes, reposts, quotes, total: likes + reposts + quotes }
}

/** Whether the subject of a notification exists: one that was deleted may have been deleted before the other server's record arrived. */
function isCertain(line: string): boolean {
  const subject = line.split(' ').at(-1) ?? ''
  return subject === '' || uris.has(subject)
}

async function notificationsOf(server: PeerServer, account: Account): Promise<string[]> {
  const lines: string[] = []
  let cursor: string | undefined
  do {
    const params = { limit: '100', ...(cursor && { cursor }) }
    const page = ok(await server.get('app.example.notification.listNotifications', params, account))
    for (const { reason, uri, reasonSubject } of page.notifications) {
      lines.push(`${reason} ${uri} ${reasonSubject ?? ''}`)
    }
    cursor = page.cursor
  } while (cursor)
  return lines.sort()
}

function ok({ status, body }: Answer) {
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}
