/** `npm run seed` as a command, and its data as a client reads it. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { xrpc } from '@atproto/lex-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { app, com } from '../../lexicons/generated/index.ts'
import { methods } from '../../server/api/index.ts'
import { reasons } from '../../server/app/tables/reasons.ts'
import { defaultConfig } from '../../server/platform/config/config.ts'
import { listOutbox } from '../../server/platform/mail/outbox.ts'
import { recordLexicons } from '../../server/repository/records/lexicons.ts'
import { type RunningServer, startServer } from '../../server/server.ts'
import { passwords } from '../support/server/passwords.ts'
import { adminAuth, TestServer } from '../support/server/server.ts'

const { notification } = app.example
const recordCollections = [...recordLexicons.keys()]
const run = promisify(execFile)
const seed = (directory: string) =>
  run(process.execPath, [join(import.meta.dirname, '../../build/seed.ts'), '--data-dir', directory])

interface Seeded {
  readonly directory: string
  readonly printed: string
  readonly server: RunningServer
}
let worlds: Seeded[] = []

async function seeded(): Promise<Seeded> {
  const directory = await mkdtemp(join(tmpdir(), 'pds-seed-'))
  const { stdout: printed } = await seed(directory)
  const config = defaultConfig({ dataDir: directory, port: 0, hosts: ['127.0.0.1'], logLevel: 'fatal' })
  return { directory, printed, server: await startServer(config, { passwords }) }
}

beforeAll(async () => {
  worlds = await Promise.all([seeded(), seeded()])
}, 60_000)

afterAll(async () => {
  for (const { server, directory } of worlds) {
    await server.close()
    await rm(directory, { recursive: true, force: true })
  }
})

function world(index = 0): Seeded {
  const found = worlds[index]
  if (!found) throw new Error('the command has not run')
  return found
}

/** Signs in with the password that the command printed. */
async function signIn({ printed, server }: Seeded, handle: string) {
  const password = new RegExp(`^ *${handle} +(\\S+)`, 'm').exec(printed)?.[1] ?? 'no password was printed'
  const { body } = await xrpc(server.url, com.core.server.createSession, {
    body: { identifier: handle, password },
  })
  return { service: server.url, headers: { authorization: `Bearer ${body.accessJwt}` } }
}

async function allNotifications(agent: Awaited<ReturnType<typeof signIn>>) {
  const found: app.example.notification.listNotifications.Notification[] = []
  for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
    const { body } = await xrpc(agent, notification.listNotifications, { params: { limit: 100, cursor } })
    found.push(...body.notifications)
    cursor = body.cursor
  }
  return found
}

test('seed: the owner has notifications of every reason except contact-match', async () => {
  const alice = await signIn(world(), 'alice.test')
  const listed = await allNotifications(alice)
  const expected = reasons.filter((reason) => reason !== 'contact-match')
  expect([...new Set(listed.map(({ reason }) => reason))].sort()).toEqual(expected.sort())
  expect(listed.some(({ labels }) => labels?.length)).toBe(true)
  expect(listed.every(({ author }) => author.displayName)).toBe(true)

  const unread = listed.filter(({ isRead }) => !isRead).length
  expect(unread).toBeGreaterThan(0)
  expect(unread).toBeLessThan(listed.length)
  expect((await xrpc(alice, notification.getUnreadCount)).body.count).toBe(unread)
})

test('seed: notifications are spread over the last two weeks', async () => {
  const listed = await allNotifications(await signIn(world(), 'alice.test'))
  const ages = listed.map(({ indexedAt }) => (Date.now() - Date.parse(indexedAt)) / 86_400_000)
  expect(Math.min(...ages)).toBeGreaterThan(0)
  expect(Math.max(...ages)).toBeLessThan(14.1)
  expect(new Set(ages.map(Math.floor)).size).toBeGreaterThan(10)
})

test('seed: every screen has data', async () => {
  const alice = await signIn(world(), 'alice.test')
  const { server, admin } = com.core
  const { passwords } = (await xrpc(alice, server.listAppPasswords)).body
  expect(passwords.map(({ name }) => name)).toEqual(['Chat on the laptop', 'Phone'])
  expect((await xrpc(alice, server.listSessions)).body.sessions.length).toBeGreaterThan(4)
  const { codes } = (await xrpc(alice, server.getAccountInviteCodes)).body
  expect(codes.map(({ disabled, uses }) => [disabled, uses.length]).sort()).toEqual([
    [false, 0],
    [false, 0],
    [false, 1],
    [true, 1],
  ])
  const { accounts } = (await xrpc(alice, admin.listAccounts)).body
  expect(accounts).toHaveLength(11)
  expect(accounts.map(({ status }) => status).filter(Boolean)).toEqual(['deactivated', 'takendown'])
  const { subscriptions } = (await xrpc(alice, notification.listActivitySubscriptions)).body
  expect(subscriptions).toHaveLength(3)
  expect((await xrpc(alice, notification.getPreferences)).body.preferences.like.push).toBe(false)
})

test('seed: the newest message in the outbox contains a valid code', async () => {
  const { directory, server } = world()
  const [newest] = await listOutbox(directory)
  expect(newest).toMatchObject({ to: 'bob@wrenport.example', purpose: 'resetPassword' })
  const reset = { token: newest?.code ?? '', password: 'another password' }
  await xrpc(server.url, com.core.server.resetPassword, { body: reset })
})

test('seed: the repositories contain over 300 records of every kind', async () => {
  const { server, printed } = world()
  const { accounts } = (
    await xrpc(await signIn(world(), 'alice.test'), com.core.admin.listAccounts, { params: {} })
  ).body
  const active = accounts.filter((account) => account.active)
  const described = await Promise.all(
    active.map(({ did }) => xrpc(server.url, com.core.repo.describeRepo, { params: { repo: did } })),
  )
  expect([...new Set(described.flatMap(({ body }) => body.collections))].sort()).toEqual([
    'app.example.actor.profile',
    'app.example.feed.like',
    'app.example.feed.post',
    'app.example.feed.repost',
    'app.example.graph.follow',
    'app.example.graph.list',
    'app.example.graph.starterpack',
    'app.example.graph.verification',
  ])
  expect(Number(/and (\d+) records/.exec(printed)?.[1])).toBeGreaterThan(300)
})

test('seed: two runs produce the same notifications', async () => {
  const stories = await Promise.all(
    [world(0), world(1)].map(async (one) => {
      const listed = await allNotifications(await signIn(one, 'alice.test'))
      return listed.map(({ author, reason, record }) => [author.handle, reason, record.text])
    }),
  )
  expect(stories[0]).toEqual(stories[1])
})

test('seed: a data directory with accounts is rejected and left unchanged', async () => {
  const server = await TestServer.start()
  await server.account('existing')
  await server.running.close()
  const refused = await seed(server.config.dataDir).catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('has accounts already') })
  await server.open()
  const { body } = await server.get('com.core.admin.listAccounts', {}, adminAuth)
  expect(body.accounts).toMatchObject([{ handle: 'existing.test' }])
  await server.close()
})

test('every account has a birth date', async () => {
  const service = await signIn(world(), 'carol.test')
  const { body } = await xrpc(service, app.example.actor.getPreferences)
  expect(body.preferences).toMatchObject([
    { $type: 'app.example.actor.defs#personalDetailsPref', birthDate: expect.any(String) },
    { isOverAge18: true },
  ])
})

/** Our names and the network's, and what must not be in a response to a call under them. */
const vocabularies = [
  {
    title: 'the network',
    rename: (text: string) =>
      text.replaceAll('com.core.', 'com.atproto.').replace(/\b(app|chat)\.example\./g, '$1.bsky.'),
    others: /\b(?:com\.core|app\.example|chat\.example)\.[a-z]+/,
  },
  {
    title: 'ours',
    rename: (text: string) => text,
    others: /\b(?:com\.atproto|app\.bsky|chat\.bsky)\.[a-z]+/,
  },
] as const

test.each(vocabularies)(
  'every query under the names of $title is answered in them',
  async ({ rename, others }) => {
    const service = await signIn(world(), 'alice.test')
    const read = async (nsid: string, params: Readonly<Record<string, string | readonly string[]>>) => {
      const pairs = Object.entries(params).flatMap(([key, value]) =>
        [value].flat().map((one): [string, string] => [key, rename(one)]),
      )
      const url = `${service.service}/xrpc/${rename(nsid)}?${new URLSearchParams(pairs)}`
      const answer = await fetch(url, { headers: service.headers })
      const isJson = answer.headers.get('content-type')?.includes('json') ?? false
      return { status: answer.status, text: isJson ? await answer.text() : '' }
    }
    const list = async (nsid: string, params: Readonly<Record<string, string>>, name: string) =>
      JSON.parse((await read(nsid, params)).text)[name]
    const { did } = await list('com.core.repo.describeRepo', { repo: 'alice.test' }, 'didDoc').then(
      (document: { id: string }) => ({ did: document.id }),
    )
    const follows = await list('app.example.graph.getFollows', { actor: did }, 'follows')
    const people: string[] = [did, ...follows.map((one: { did: string }) => one.did)]
    const feed = await list('app.example.feed.getTimeline', { limit: '100' }, 'feed')
    const posts: string[] = feed.map(({ post }: { post: { uri: string } }) => post.uri)
    const [uri = ''] = posts
    const common = {
      ...{
        actor: did,
        actors: people.slice(0, 20),
        did,
        dids: [did],
        repo: did,
        subject: did,
        identifier: did,
      },
      ...{ uri, uris: posts.slice(0, 25), anchor: uri, handle: 'alice.test', hostname: 'localhost' },
      ...{ q: 'a', query: 'a', limit: '20', uriPatterns: '*', others: people.slice(1, 3) },
      ...{ collection: 'app.example.feed.post', rkey: uri.split('/').at(-1) ?? '' },
      ...{ countryCode: 'DE', url: 'https://example.com', feed: uri, list: uri, starterPack: uri },
    }
    const more: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> = {
      'app.example.feed.getAuthorFeed': people.map((actor) => ({ actor, limit: '100' })),
      'app.example.feed.getPostThread': posts.map((one) => ({ uri: one })),
      'app.example.notification.listNotifications': [{ limit: '100' }],
      'app.example.labeler.getServices': [{ dids: 'did:web:localhost%3A2583', detailed: 'true' }],
      'com.core.repo.listRecords': people.flatMap((repo) =>
        recordCollections.map((collection) => ({ repo, collection, limit: '100' })),
      ),
    }
    const wrong: string[] = []
    const counts = { good: 0, refused: 0 }
    for (const { nsid, schema } of methods.filter((method) => method.schema.type === 'query')) {
      const shape = 'parameters' in schema ? Object.keys(schema.parameters.shape ?? {}) : []
      const params = Object.fromEntries(Object.entries(common).filter(([key]) => shape.includes(key)))
      for (const given of [params, ...(more[nsid] ?? [])]) {
        const { status, text } = await read(nsid, given)
        counts[status === 200 ? 'good' : 'refused']++
        const found = others.exec(text)
        if (found)
          wrong.push(`${nsid} ${JSON.stringify(given)}: …${text.slice(found.index - 80, found.index + 60)}…`)
      }
    }
    expect(wrong).toEqual([])
    expect(counts.good).toBeGreaterThan(200)
  },
)
