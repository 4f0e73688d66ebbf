/** `npm run seed` as a command, and its data as a client reads it. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { xrpc } from '@atproto/lex-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { app, com } from '../../../lexicons/generated/index.ts'
import { defaultConfig } from '../../../server/platform/config/config.ts'
import { listOutbox } from '../../../server/platform/mail/outbox.ts'
import { reasons } from '../../../server/platform/store/reasons.ts'
import { type RunningServer, startServer } from '../../../server/server.ts'
import { passwords } from '../../support/passwords.ts'
import { adminAuth, TestServer } from '../../support/server.ts'

const { notification } = app.example
const run = promisify(execFile)
const seed = (directory: string) =>
  run(process.execPath, [join(import.meta.dirname, '../../../build/seed.ts'), '--data-dir', directory])

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
