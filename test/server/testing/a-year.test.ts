/** A year passes in a network for tests: all that expires has expired, and its jobs have run. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { schema } from '../../../server/schema/schema.ts'
import { type Network, startNetwork } from '../../../server/testing/network.ts'
import { networkClient } from '../../support/accounts/oauth.ts'
import { listening } from '../../support/server/listener.ts'

/** What expires, with the columns that say when. `make` runs before the year and returns what is checked after it. */
interface Expiry {
  readonly columns: readonly string[]
  readonly make: () => Promise<() => Promise<void>>
}

let network: Network

const expiries: Readonly<Record<string, Expiry>> = {
  'sessions and their refresh tokens': {
    columns: ['sessions.expires_at', 'refresh_tokens.grace_until'],
    async make() {
      const { session } = await network.accounts.create({ handle: 'sleeper' })
      const refresh = () => post('com.atproto.server.refreshSession', undefined, session.refreshJwt)
      expect((await refresh()).status).toBe(200)
      return async () =>
        expect(await refresh()).toMatchObject({ status: 400, body: { error: 'ExpiredToken' } })
    },
  },
  'codes in messages': {
    columns: ['mail_tokens.expires_at'],
    async make() {
      const { email } = await network.accounts.create({ handle: 'forgetful' })
      await post('com.atproto.server.requestPasswordReset', { email })
      const token = await network.mail.code('forgetful')
      return async () => {
        const answer = await post('com.atproto.server.resetPassword', { token, password: 'another-password' })
        expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(/Token$/) } })
      }
    },
  },
  'dates of deletion': {
    columns: ['accounts.delete_after'],
    async make() {
      const { session, did } = await network.accounts.create({ handle: 'leaving' })
      const deleteAfter = new Date(network.clock.now().getTime() + 30 * 86_400_000).toISOString()
      await post('com.atproto.server.deactivateAccount', { deleteAfter }, session.accessJwt)
      const described = () => get('com.atproto.sync.getRepoStatus', { did })
      expect((await described()).body).toMatchObject({ active: false, status: 'deactivated' })
      return async () =>
        expect(await described()).toMatchObject({ status: 400, body: { error: 'RepoNotFound' } })
    },
  },
  'accounts that were imported and never activated': {
    columns: ['accounts.activate_by', 'reserved_keys.expires_at'],
    async make() {
      const did = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz'
      const first = await post('com.atproto.server.reserveSigningKey', { did })
      expect(first.status).toBe(200)
      const again = () => post('com.atproto.server.reserveSigningKey', { did })
      expect((await again()).body).toEqual(first.body)
      // A key that was reserved and never used is another one after its time.
      return async () => expect((await again()).body.signingKey).not.toBe(first.body.signingKey)
    },
  },
  'uploads without a record': {
    columns: ['blobs.expires_at'],
    async make() {
      const { session, did } = await network.accounts.create({ handle: 'uploader' })
      const response = await fetch(`${network.url}/xrpc/com.atproto.repo.uploadBlob`, {
        method: 'POST',
        headers: { authorization: `Bearer ${session.accessJwt}`, 'content-type': 'text/plain' },
        body: 'A file without a record',
      })
      const { blob } = (await response.json()) as { blob: { ref: { $link: string } } }
      const read = () => get('com.atproto.sync.getBlob', { did, cid: blob.ref.$link })
      return async () => expect((await read()).status).toBe(400)
    },
  },
  'requests and grants of apps': {
    columns: ['oauth_requests.expires_at', 'oauth_assertions.expires_at'],
    async make() {
      await network.accounts.create({ handle: 'granting' })
      const client = networkClient(network.url, 'atproto transition:generic')
      const waiting = await client.authorize('granting.test')
      const asked = await client.authorize('granting.test')
      const location = await network.oauth.approve(asked, 'granting')
      const { session } = await client.callback(new URL(location).searchParams)
      expect((await session.getTokenInfo(true)).scope).toContain('atproto')
      return async () => {
        await expect(network.oauth.approve(waiting, 'granting')).rejects.toThrow()
        await expect(session.getTokenInfo(true)).rejects.toThrow()
      }
    },
  },
  'invite codes with a date': {
    columns: ['invite_codes.expires_at'],
    async make() {
      const expiresAt = new Date(network.clock.now().getTime() + 30 * 86_400_000).toISOString()
      const { code } = await asAdmin('com.core.server.createInviteCode', { useCount: 1, expiresAt })
      return async () => {
        const account = { handle: 'invited.test', password: 'a-password', inviteCode: code }
        const answer = await post('com.atproto.server.createAccount', account)
        expect(answer).toMatchObject({ status: 400, body: { error: 'InvalidInviteCode' } })
      }
    },
  },
}

/** Columns of tries that are repeated, which a year ends by their success. */
const retries = ['push_queue.due_at', 'repository_queue.due_at', 'wanted_records.due_at']

const checks = new Map<string, () => Promise<void>>()

beforeAll(async () => {
  network = await startNetwork({ config: { dailyBackups: true } })
  for (const [name, { make }] of Object.entries(expiries)) checks.set(name, await make())
  await network.clock.advance('1y')
}, 120_000)
afterAll(() => network.stop())

test.each(Object.keys(expiries))('%s', async (name) => {
  await checks.get(name)?.()
})

test('old events have left the stream of the server', async () => {
  const consumer = await listening(`${network.url}/xrpc/com.atproto.sync.subscribeRepos?cursor=0`)
  expect((await consumer.next()).payload).toMatchObject({ name: 'OutdatedCursor' })
  consumer.close()
})

test('the weekly check of the data has run, and the time is trusted', async () => {
  const { verifiedAt, damagedPages } = await asAdmin('com.core.admin.getDataCheck')
  expect(damagedPages).toBe(0)
  expect(network.clock.now().getTime() - Date.parse(verifiedAt)).toBeLessThan(8 * 86_400_000)
  expect(await asAdmin('com.core.admin.getClock')).not.toHaveProperty('doubt')
})

test('each column that names a time of expiry is in the list', () => {
  const columns = [...schema.sql.matchAll(/CREATE TABLE (\w+) \(([\s\S]*?)\n {2}\) STRICT/g)].flatMap(
    ([, table, body = '']) =>
      [...body.matchAll(/^ {4}(expires_at|delete_after|activate_by|grace_until|due_at) /gm)].map(
        ([, column]) => `${table}.${column}`,
      ),
  )
  const listed = [...Object.values(expiries).flatMap((each) => each.columns), ...retries]
  expect(columns.toSorted()).toEqual(listed.toSorted())
})

// biome-ignore lint/suspicious/noExplicitAny: each method has its own output
type Answer = { status: number; body: any }

/** Calls a method as the administrator. @param input of a procedure */
async function asAdmin(nsid: string, input?: object) {
  const authorization = `Basic ${Buffer.from(`admin:${network.servers[0]?.adminPassword}`).toString('base64')}`
  const headers = { authorization, 'content-type': 'application/json' }
  const body = input && { method: 'POST', body: JSON.stringify(input) }
  return (await answerOf(await fetch(`${network.url}/xrpc/${nsid}`, { headers, ...body }))).body
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  return { status: response.status, body: isJson ? JSON.parse(text) : text }
}

async function get(nsid: string, params: Record<string, string>): Promise<Answer> {
  return answerOf(await fetch(`${network.url}/xrpc/${nsid}?${new URLSearchParams(params)}`))
}

async function post(nsid: string, input?: object, token?: string): Promise<Answer> {
  const response = await fetch(`${network.url}/xrpc/${nsid}`, {
    method: 'POST',
    headers: {
      ...(input && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(input && { body: JSON.stringify(input) }),
  })
  return answerOf(response)
}
