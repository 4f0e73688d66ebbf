import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hour } from '../support/clock.ts'
import { decodeJwt } from '../support/jwt.ts'
import { mentionsOf } from '../support/scan.ts'
import { type Account, type Answer, type AppSession, refusal, TestServer } from '../support/server.ts'

let server: TestServer
let owner: Account

beforeAll(async () => {
  server = await TestServer.start()
  owner = await server.account('owner-of-all')
})

afterAll(() => server.close())

type Auth = Pick<Account, 'accessJwt'>

const make = (auth: Auth, name: string, more: Record<string, unknown> = {}) =>
  server.post('com.core.server.createAppPassword', { name, ...more }, auth)
const revoke = (auth: Auth, name: string) => server.post('com.core.server.revokeAppPassword', { name }, auth)
const list = async (auth: Auth) =>
  (await server.get('com.core.server.listAppPasswords', {}, auth)).body.passwords
const names = async (auth: Auth) => (await list(auth)).map(({ name }: { name: string }) => name)
const session = (auth: Auth) => server.get('com.core.server.getSession', {}, auth)

const badScope = refusal(400, 'InvalidToken', 'Bad token scope')

test('an app password is made by the server and shown once', async () => {
  const alice = await server.account('alice')
  const { status, body } = await make(alice, 'phone')
  expect(status).toBe(200)
  expect(body).toEqual({
    name: 'phone',
    password: expect.stringMatching(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/),
    createdAt: expect.stringMatching(/^2030-.*Z$/),
    privileged: false,
  })
  expect(await list(alice)).toEqual([{ name: 'phone', createdAt: body.createdAt, privileged: false }])
  expect(mentionsOf(server.running.services.store, body.password)).toEqual([])
})

test('an app password signs in but cannot make another', async () => {
  const bob = await server.account('bob')
  const app = await server.appSession(bob, 'reader')
  expect((await session(app)).body).toMatchObject({ did: bob.did, handle: bob.handle })
  expect(decodeJwt(app.accessJwt).claims.scope).toBe('com.core.appPass')
  expect(await make(app, 'another')).toMatchObject(badScope)
})

test('a privileged one is marked as such, and cannot make another either', async () => {
  const carla = await server.account('carla')
  const app = await server.appSession(carla, 'chat', true)
  expect(decodeJwt(app.accessJwt).claims.scope).toBe('com.core.appPassPrivileged')
  expect(await list(carla)).toMatchObject([{ name: 'chat', privileged: true }])
  expect(await make(app, 'another')).toMatchObject(badScope)
})

test('a refreshed session of an app password is no more than it was', async () => {
  const dan = await server.account('dan')
  const app = await server.appSession(dan, 'reader')
  const { body } = await server.post('com.core.server.refreshSession', undefined, app.refreshJwt)
  expect(decodeJwt(body.accessJwt).claims.scope).toBe('com.core.appPass')
  expect(await make(body, 'another')).toMatchObject(badScope)
})

test('an app password opens no other account', async () => {
  const [erin, frank] = [await server.account('erin'), await server.account('frank')]
  const { body } = await make(erin, 'phone')
  expect(await server.signIn(frank, { password: body.password })).toMatchObject(
    refusal(401, 'AuthenticationRequired'),
  )
})

describe('names', () => {
  test('are trimmed, and unique within an account', async () => {
    const [grace, heidi] = [await server.account('grace'), await server.account('heidi')]
    expect((await make(grace, '  phone ')).body).toMatchObject({ name: 'phone' })
    expect(await make(grace, 'phone')).toMatchObject(refusal(400, 'DuplicateAppPassword'))
    expect(await make(grace, '\tphone')).toMatchObject(refusal(400, 'DuplicateAppPassword'))
    expect((await make(grace, 'Phone')).status).toBe(200)
    expect((await make(heidi, 'phone')).status).toBe(200)
  })

  test('have 1 to 64 characters', async () => {
    const ivan = await server.account('ivan')
    for (const name of ['', '   ', 'x'.repeat(65), '👍'.repeat(65)]) {
      expect(await make(ivan, name)).toMatchObject(refusal(400, 'InvalidRequest'))
    }
    for (const name of ['x', ` ${'x'.repeat(64)} `, '👍'.repeat(64)]) {
      expect((await make(ivan, name)).status).toBe(200)
    }
  })
})

test('the list is newest first, with the time of the last use', async () => {
  const judy = await server.account('judy')
  await make(judy, 'first')
  await make(judy, 'second')
  const app = await server.appSession(judy, 'third')
  expect(await names(judy)).toEqual(['third', 'second', 'first'])

  const [third, second] = await list(judy)
  expect(second).not.toHaveProperty('lastUsedAt')
  expect(Date.parse(third.lastUsedAt)).toBeGreaterThan(Date.parse(third.createdAt))
  server.clock.advance(hour)
  await session(app)
  const later = (await list(judy))[0]
  expect(Date.parse(later.lastUsedAt) - Date.parse(third.lastUsedAt)).toBeGreaterThanOrEqual(hour)
})

test('an account has a hundred of them at most', async () => {
  const kim = await server.account('kim')
  const made = await Promise.all(Array.from({ length: 105 }, (_, number) => make(kim, `app ${number}`)))
  expect(made.filter(({ status }) => status === 200)).toHaveLength(100)
  const refused = made.filter(({ status }) => status !== 200)
  expect(refused.map(({ body }) => body.error)).toEqual(Array(5).fill('TooManyAppPasswords'))

  const [newest] = await names(kim)
  await revoke(kim, newest)
  expect((await make(kim, 'one more')).status).toBe(200)
})

describe('revoking', () => {
  test('ends its sessions at once, and leaves others alone', async () => {
    const leo = await server.account('leo')
    const [phone, tablet] = [await server.appSession(leo, 'phone'), await server.appSession(leo, 'tablet')]
    expect((await revoke(leo, 'phone')).status).toBe(200)
    expect(await session(phone)).toMatchObject(refusal(400, 'ExpiredToken', 'Token has been revoked'))
    expect(await server.post('com.core.server.refreshSession', undefined, phone.refreshJwt)).toMatchObject(
      refusal(400, 'ExpiredToken'),
    )
    expect(await server.signIn(phone)).toMatchObject(refusal(401, 'AuthenticationRequired'))
    for (const alive of [tablet, leo]) expect((await session(alive)).status).toBe(200)
    expect(await names(leo)).toEqual(['tablet'])
  })

  test('is done twice without harm, and frees the name', async () => {
    const mia = await server.account('mia')
    const { body: old } = await make(mia, 'phone')
    expect((await revoke(mia, ' phone ')).status).toBe(200)
    expect((await revoke(mia, 'phone')).status).toBe(200)
    const { body: made } = await make(mia, 'phone')
    expect(made.password).not.toBe(old.password)
    expect((await server.signIn(mia, { password: old.password })).status).toBe(401)
    expect((await server.signIn(mia, { password: made.password })).status).toBe(200)
  })

  test('an app password revokes itself and no other', async () => {
    const nina = await server.account('nina')
    const [phone, tablet] = [await server.appSession(nina, 'phone'), await server.appSession(nina, 'tablet')]
    expect(await revoke(phone, 'tablet')).toMatchObject(badScope)
    expect(await revoke(phone, 'unheard of')).toMatchObject(badScope)
    expect((await revoke(phone, 'phone')).status).toBe(200)
    expect((await session(phone)).status).toBe(400)
    expect((await session(tablet)).status).toBe(200)
  })

  test('does not reach into other accounts', async () => {
    const [olga, pat] = [await server.account('olga'), await server.account('pat')]
    const app = await server.appSession(olga, 'phone')
    expect((await revoke(pat, 'phone')).status).toBe(200)
    expect((await session(app)).status).toBe(200)
  })
})

describe('a stolen app password of the owner, privileged or not,', () => {
  let thefts: AppSession[]

  beforeAll(async () => {
    thefts = [await server.appSession(owner, 'stolen'), await server.appSession(owner, 'stolen chat', true)]
  })

  const post = (nsid: string, input: unknown, auth: Auth) =>
    server.post(`com.core.server.${nsid}`, input, auth)

  test.each([
    ['make an app password', (app) => make(app, 'another')],
    ['ask for the deletion of the account', (app) => post('requestAccountDelete', undefined, app)],
    [
      'delete the account',
      ({ did, password, ...app }) => post('deleteAccount', { did, password, token: 'AAAAA-AAAAA' }, app),
    ],
    ['deactivate the account', (app) => post('deactivateAccount', {}, app)],
    ['activate the account', (app) => post('activateAccount', undefined, app)],
    ['ask for a change of the email address', (app) => post('requestEmailUpdate', undefined, app)],
    ['change the email address', (app) => post('updateEmail', { email: 'thief@mail.test' }, app)],
    ['make an invite code', (app) => post('createInviteCode', { useCount: 1 }, app)],
    ['make invite codes', (app) => post('createInviteCodes', { codeCount: 1, useCount: 1 }, app)],
    ['see the invite codes', (app) => server.get('com.core.server.getAccountInviteCodes', {}, app)],
    ['see the sessions', (app) => server.get('com.core.server.listSessions', {}, app)],
    ['end other sessions', (app) => post('revokeSession', { id: 'some session' }, app)],
    ['administer the server', (app) => server.get('com.core.admin.listAccounts', {}, app)],
  ] satisfies [string, (app: AppSession) => Promise<Answer>][])('cannot %s', async (_, attempt) => {
    for (const app of thefts) expect(await attempt(app)).toMatchObject(badScope)
  })
})

describe('signing in with an app password', () => {
  /** Threads for hashing that start while `work` runs on a server that has just been started. */
  async function hashingThreads(work: () => Promise<unknown>): Promise<number> {
    await server.restart()
    let started = 0
    const count = () => started++
    process.on('worker', count)
    try {
      await work()
      return started
    } finally {
      process.off('worker', count)
    }
  }

  test('looks it up and hashes nothing', async () => {
    const yves = await server.account('yves')
    const app = await server.appSession(yves, 'phone')
    const signIn = async () => expect((await server.signIn(app)).status).toBe(200)
    expect(await hashingThreads(signIn)).toBe(0)
  })

  test.each([
    ['a wrong one', 'zoe.test'],
    ['one for an unknown account', 'nobody.test'],
  ])('hashes %s as a main password, so that the response times are alike', async (_, identifier) => {
    if (identifier === 'zoe.test') await server.account('zoe')
    const guess = { handle: identifier, password: 'aaaa-bbbb-cccc-dddd' }
    const signIn = async () => expect((await server.signIn(guess)).status).toBe(401)
    expect(await hashingThreads(signIn)).toBe(1)
  })

  test('does not shadow a main password of the same shape', async () => {
    const abel = await server.account('abel', { password: 'aaaa-bbbb-cccc-dddd' })
    await server.appSession(abel, 'phone')
    const { body } = await server.signIn(abel)
    expect(decodeJwt(body.accessJwt).claims.scope).toBe('com.core.access')
  })
})
