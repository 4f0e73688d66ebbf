import { cp, mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { decodeJwt } from '../support/accounts/jwt.ts'
import { type Account, TestServer } from '../support/server/server.ts'

/** A server with data in every table, and the sessions of its accounts. */
interface Populated {
  readonly server: TestServer
  readonly alice: Account
  readonly tokens: { readonly reset: string; readonly replacedRefresh: string; readonly successor: string }
  readonly appPassword: string
  readonly inviteCode: string
}

let populated: Populated

beforeAll(async () => {
  populated = await populate()
})

afterAll(() => populated.server.close())

async function populate(): Promise<Populated> {
  const server = await TestServer.start({ adminPassword: undefined })
  const owner = await server.account('owner-of-all')
  const alice = await server.account('alice')
  const core = (nsid: string, input?: unknown, auth: Account | string = alice) =>
    server.post(`com.core.${nsid}`, input, auth)

  const { password: appPassword } = await server.appSession(alice, 'phone', true)
  await core('server.createAppPassword', { name: 'revoked' })
  await core('server.revokeAppPassword', { name: 'revoked' })
  await server.confirmEmail(alice)
  const { body: refreshed } = await core('server.refreshSession', undefined, alice.refreshJwt)
  const { body: invite } = await core(
    'server.createInviteCode',
    { useCount: 2, forAccount: alice.did },
    owner,
  )
  await server.account('guest', { inviteCode: invite.code })
  const deleted = await server.account('deleted')
  await core('admin.deleteAccount', { did: deleted.did }, owner)
  const bad = { subject: { $type: 'com.core.admin.defs#repoRef', did: (await server.account('bad')).did } }
  await core('admin.updateSubjectStatus', { ...bad, takedown: { applied: true, ref: 'case 7' } }, owner)
  await core('server.deactivateAccount', { deleteAfter: '2040-01-01T00:00:00Z' })
  await core('server.requestPasswordReset', { email: alice.email })
  const tokens = {
    reset: await server.codeTo(alice.email),
    replacedRefresh: alice.refreshJwt,
    successor: refreshed.refreshJwt,
  }
  return { server, alice, tokens, appPassword, inviteCode: invite.code }
}

/** All data of the server and of alice that methods return, without the counts of these calls. */
async function readAll(server: TestServer, { alice }: Populated) {
  const read = async (nsid: string, auth?: Account | string) => (await server.get(nsid, {}, auth)).body
  const { sessions } = await read('com.core.server.listSessions', alice)
  return {
    server: await read('com.core.server.describeServer'),
    session: await read('com.core.server.getSession', alice),
    status: await read('com.core.server.checkAccountStatus', alice),
    appPasswords: await read('com.core.server.listAppPasswords', alice),
    sessions: sessions.map((session: object) => ({ ...session, uses: undefined })),
    inviteCodes: await read('com.core.server.getAccountInviteCodes', alice),
    rows: server.running.services.store.all('SELECT * FROM accounts ORDER BY did'),
  }
}

/** Checks that sessions, passwords and codes work as before. */
async function expectWorking(server: TestServer, { alice, tokens, appPassword, inviteCode }: Populated) {
  const jti = (jwt: string) => decodeJwt(jwt).claims.jti
  const again = await server.post('com.core.server.refreshSession', undefined, tokens.replacedRefresh)
  expect(jti(again.body.refreshJwt)).toBe(jti(tokens.successor))
  expect((await server.signIn(alice)).body).toMatchObject({ did: alice.did, status: 'deactivated' })
  expect((await server.signIn(alice, { password: appPassword })).status).toBe(200)
  expect((await server.post('com.core.server.activateAccount', undefined, alice)).status).toBe(200)
  const guest = { handle: 'another-guest.test', password: 'a good password', inviteCode }
  expect((await server.post('com.core.server.createAccount', guest)).status).toBe(200)
  const { status } = await server.get('com.core.server.getServiceAuth', { aud: 'did:web:a.example' }, alice)
  expect(status).toBe(200)
  const reset = { token: tokens.reset, password: 'a new password' }
  expect((await server.post('com.core.server.resetPassword', reset)).status).toBe(200)
  expect((await server.signIn(alice, { password: 'a new password' })).status).toBe(200)
}

test('restart: all data survives, and a copy of the data directory starts as the same server', async () => {
  const { server } = populated
  const before = await readAll(server, populated)
  expect(before).toMatchObject({
    session: { active: false, emailConfirmed: true },
    appPasswords: { passwords: [{ name: 'phone' }] },
    inviteCodes: { codes: [{ available: 1, uses: [{}] }] },
  })

  await server.restart()
  expect(await readAll(server, populated)).toEqual(before)

  const dataDir = await mkdtemp(join(tmpdir(), 'pds-copy-'))
  await server.running.close()
  await cp(server.config.dataDir, dataDir, { recursive: true })
  const copy = await TestServer.start({ adminPassword: undefined, dataDir })
  try {
    expect(await readAll(copy, populated)).toEqual(before)
    await expectWorking(copy, populated)
    const generated = (await readFile(join(server.config.dataDir, 'admin-password'), 'utf8')).trim()
    const admin = `Basic ${Buffer.from(`admin:${generated}`).toString('base64')}`
    expect((await copy.get('com.core.admin.listAccounts', {}, admin)).status).toBe(200)
  } finally {
    await copy.close()
  }

  await server.open()
  await expectWorking(server, populated)
})
