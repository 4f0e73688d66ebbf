import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Account, adminAuth, refusal, TestServer } from '../../../support/server/server.ts'
import { owner, server, setupServer } from '../../../support/server/setup.ts'
import { ownerOnly } from '../../../support/store/modes.ts'
import { mentionsOf } from '../../../support/store/scan.ts'

setupServer({ accounts: ['owner-of-all'] })

const unknownDid = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const notFound = refusal(400, 'NotFound')
const accountOf = (did: string) => ({ $type: 'com.core.admin.defs#repoRef', did })
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

type Auth = Pick<Account, 'accessJwt'> | string

const list = (params: Record<string, string> = {}, auth: Auth = adminAuth) =>
  server.get('com.core.admin.listAccounts', params, auth)
const statusOf = (did: string) => server.get('com.core.admin.getSubjectStatus', { did }, adminAuth)
const update = (did: string, states: Record<string, unknown>, auth: Auth = adminAuth) =>
  server.post('com.core.admin.updateSubjectStatus', { subject: accountOf(did), ...states }, auth)
const post = (nsid: string, input: unknown, auth: Auth = adminAuth) =>
  server.post(`com.core.admin.${nsid}`, input, auth)

describe('admin rights', () => {
  const everyMethod = (auth: Auth | undefined) => [
    list({}, auth ?? ''),
    server.get('com.core.admin.getSubjectStatus', { did: owner.did }, auth),
    server.post(
      'com.core.admin.updateSubjectStatus',
      { subject: accountOf(owner.did), deactivated: { applied: false } },
      auth,
    ),
    server.post('com.core.admin.disableInviteCodes', {}, auth),
  ]

  test('belong to the owner', async () => {
    for (const answer of await Promise.all(everyMethod(owner))) expect(answer.status).toBe(200)
  })

  test('belong to the user admin with the admin password', async () => {
    for (const answer of await Promise.all(everyMethod(adminAuth))) expect(answer.status).toBe(200)
    const shouted = adminAuth.replace('Basic', 'BASIC')
    expect((await list({}, shouted)).status).toBe(200)
  })

  test('are refused with another password or user name', async () => {
    for (const text of ['admin:wrong', 'admin:', ':', 'admin', 'root:the admin password of tests']) {
      for (const answer of await Promise.all(everyMethod(basic(text)))) {
        expect(answer).toMatchObject(refusal(401, 'AuthenticationRequired'))
        expect(answer.headers.get('www-authenticate')).not.toBeNull()
      }
    }
  })

  test('a wrong user name and a wrong password have messages of their own', async () => {
    const message = async (text: string) => (await list({}, basic(text))).body.message
    expect(await message('alice:her password')).toBe('The user name for the admin password is admin')
    expect(await message('admin:wrong')).toBe('Wrong admin password')
  })

  test('are refused to other accounts and to app passwords of the owner', async () => {
    const other = await server.account('other')
    for (const answer of await Promise.all(everyMethod(other))) {
      expect(answer).toMatchObject(refusal(403, 'Forbidden'))
    }
    const app = await server.appSession(owner, 'phone', true)
    for (const answer of await Promise.all(everyMethod(app))) {
      expect(answer).toMatchObject(refusal(400, 'InvalidToken', 'Bad token scope'))
    }
  })

  test('come with a generated password, in a file that only its owner can read', async () => {
    const other = await TestServer.start({ adminPassword: undefined })
    try {
      const file = join(other.config.dataDir, 'admin-password')
      const made = (await readFile(file, 'utf8')).trim()
      expect((await stat(file)).mode & 0o777).toBe(ownerOnly)
      const auth = basic(`admin:${made}`)
      expect((await other.get('com.core.admin.listAccounts', {}, auth)).status).toBe(200)
      await other.restart()
      expect((await other.get('com.core.admin.listAccounts', {}, auth)).status).toBe(200)
      expect((await other.get('com.core.admin.listAccounts', {}, adminAuth)).status).toBe(401)
    } finally {
      await other.close()
    }
  })
})

describe('listAccounts', () => {
  test('lists every account with its status', async () => {
    const alice = await server.account('alice')
    const bob = await server.account('bob', { email: undefined })
    await server.confirmEmail(alice)
    await server.setStatus(bob.did, { suspended: true })
    const { body } = await list({ limit: '100' })
    const byDid = (did: string) => body.accounts.find((account: { did: string }) => account.did === did)
    expect(byDid(alice.did)).toEqual({
      did: alice.did,
      handle: 'alice.test',
      email: alice.email,
      emailConfirmed: true,
      createdAt: expect.stringMatching(/^2030-.*Z$/),
      owner: false,
      active: true,
    })
    expect(byDid(bob.did)).toMatchObject({ active: false, status: 'suspended' })
    expect(byDid(bob.did)).not.toHaveProperty('email')
    expect(byDid(owner.did)).toMatchObject({ owner: true })
  })

  test('shows who invited an account', async () => {
    const codeFor = async (forAccount?: string) => {
      const input = { useCount: 1, forAccount }
      return (await server.post('com.core.server.createInviteCode', input, adminAuth)).body.code
    }
    const carla = await server.account('carla', { inviteCode: await codeFor(owner.did) })
    const dan = await server.account('dan', { inviteCode: await codeFor() })
    const { body } = await list({ limit: '100' })
    expect(body.accounts).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ did: carla.did, invitedBy: owner.did }),
        expect.objectContaining({ did: dan.did, invitedBy: 'admin' }),
      ]),
    )
  })

  test('pages contain each account once while others are created and deleted', async () => {
    const paged = await TestServer.start()
    try {
      const accounts: Account[] = []
      for (const name of ['first', 'second', 'third', 'fourth', 'fifth'])
        accounts.push(await paged.account(name))
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const params = { limit: '2', ...(cursor === undefined ? {} : { cursor }) }
        const { body } = await paged.get('com.core.admin.listAccounts', params, adminAuth)
        seen.push(...body.accounts.map(({ handle }: Account) => handle))
        cursor = body.cursor
        if (seen.length === 2) {
          await paged.account('sixth')
          await paged.post('com.core.admin.deleteAccount', { did: accounts[1]?.did }, adminAuth)
        }
      } while (cursor !== undefined)
      expect(seen).toEqual(
        ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'].map((name) => `${name}.test`),
      )
    } finally {
      await paged.close()
    }
  })

  test('a last page of exactly the limit has no cursor', async () => {
    const { body } = await server.get('com.core.admin.listAccounts', { limit: '100' }, adminAuth)
    expect(body.total).toBe(body.accounts.length)
    const limit = String(body.accounts.length)
    const exact = await server.get('com.core.admin.listAccounts', { limit }, adminAuth)
    expect(exact.body.accounts).toHaveLength(body.accounts.length)
    expect(exact.body).not.toHaveProperty('cursor')
  })

  test.each([
    [{ limit: '0' }],
    [{ limit: '101' }],
    [{ limit: 'many' }],
    [{ cursor: 'nonsense' }],
    [{ cursor: Buffer.from('["one"]').toString('base64url') }],
  ])('refuses %j', async (params: Record<string, string>) => {
    expect(await list(params)).toMatchObject(refusal(400, 'InvalidRequest'))
  })
})

describe('updateSubjectStatus', () => {
  test('sets the given states and keeps the others', async () => {
    const erin = await server.account('erin')
    const takedown = { applied: true, ref: 'case 7' }
    const { body } = await update(erin.did, { takedown })
    const after = {
      subject: accountOf(erin.did),
      takedown,
      suspended: { applied: false },
      deactivated: { applied: false },
    }
    expect(body).toEqual(after)
    expect((await statusOf(erin.did)).body).toEqual(after)

    await update(erin.did, { suspended: { applied: true, ref: 'case 8' } })
    expect((await statusOf(erin.did)).body).toEqual({
      ...after,
      suspended: { applied: true, ref: 'case 8' },
    })
    await update(erin.did, { takedown: { applied: false }, suspended: { applied: false } })
    expect((await statusOf(erin.did)).body).toEqual({ ...after, takedown: { applied: false } })
  })

  test('deactivates and activates', async () => {
    const frank = await server.account('frank')
    const session = async () => (await server.get('com.core.server.getSession', {}, frank)).body
    await update(frank.did, { deactivated: { applied: true } })
    expect(await session()).toMatchObject({ active: false, status: 'deactivated' })
    await update(frank.did, { deactivated: { applied: false } })
    expect(await session()).toMatchObject({ active: true })
  })

  test('refuses a call that names no status', async () => {
    const answer = await update(owner.did, { suspension: { applied: true } })
    expect(answer).toMatchObject(
      refusal(400, 'InvalidRequest', 'Name a status to change: takedown, suspended or deactivated'),
    )
  })

  test('refuses an unknown DID and other kinds of subjects', async () => {
    expect(await update(unknownDid, { takedown: { applied: true } })).toMatchObject(notFound)
    expect(await statusOf(unknownDid)).toMatchObject(notFound)
    const record = { $type: 'com.core.repo.strongRef', uri: `at://${owner.did}/app.example.feed.post/1` }
    const input = { subject: record, takedown: { applied: true } }
    expect(await post('updateSubjectStatus', input)).toMatchObject(refusal(400, 'InvalidRequest'))
  })

  test('does not take down or suspend the account of the caller', async () => {
    for (const state of ['takedown', 'suspended']) {
      const answer = await update(owner.did, { [state]: { applied: true } }, owner)
      expect(answer).toMatchObject(refusal(400, 'InvalidRequest'))
    }
    expect((await list({}, owner)).status).toBe(200)
  })
})

describe('updateAccountPassword', () => {
  test('sets the password and ends every session', async () => {
    const grace = await server.account('grace')
    const app = await server.appSession(grace, 'phone')
    const input = { did: grace.did, password: 'a new password' }
    expect((await post('updateAccountPassword', input)).status).toBe(200)
    for (const auth of [grace, app]) {
      expect(await server.get('com.core.server.getSession', {}, auth)).toMatchObject(
        refusal(400, 'ExpiredToken'),
      )
    }
    expect((await server.signIn(grace)).status).toBe(401)
    expect((await server.signIn(grace, { password: 'a new password' })).status).toBe(200)
  })

  test('refuses an unknown DID and a weak password', async () => {
    const heidi = await server.account('heidi')
    expect(
      await post('updateAccountPassword', { did: unknownDid, password: 'a new password' }),
    ).toMatchObject(notFound)
    expect(await post('updateAccountPassword', { did: heidi.did, password: 'short' })).toMatchObject(
      refusal(400, 'InvalidPassword'),
    )
    expect((await server.signIn(heidi)).status).toBe(200)
  })
})

test('deleteAccount: deletes every row of the account', async () => {
  const ivan = await server.account('ivan')
  await server.appSession(ivan, 'phone')
  expect((await post('deleteAccount', { did: ivan.did })).status).toBe(200)
  expect(mentionsOf(server.running.services.store, ivan.did)).toEqual([])
  expect(await post('deleteAccount', { did: ivan.did })).toMatchObject(notFound)
  expect(await server.get('com.core.server.getSession', {}, ivan)).toMatchObject(
    refusal(403, 'AccountNotFound'),
  )
})

test('disableInviteCodes: ignores unknown codes', async () => {
  const input = { codes: ['pds-test-aaaaa-aaaaa'], accounts: [unknownDid] }
  expect((await post('disableInviteCodes', input)).status).toBe(200)
})
