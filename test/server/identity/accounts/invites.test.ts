import { P256Keypair } from '@atproto/crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { didDocument, startDidHost } from '../../../support/accounts/did-host.ts'
import { signServiceJwt } from '../../../support/accounts/jwt.ts'
import { day, hour, minute } from '../../../support/server/clock.ts'
import { type Account, adminAuth, refusal, TestServer } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'

/** The owner, who can make codes. */
let owner: Account

setupServer({
  config: {
    inviteRequired: 'on',
    inviteInterval: day,
    allowPrivateTargets: true,
    userDomains: ['.test'],
  },
})
beforeAll(async () => {
  owner = await invited('owner-of-all')
})

type Auth = Pick<Account, 'accessJwt'> | string

const invalid = refusal(400, 'InvalidInviteCode')

async function makeCode(
  useCount = 1,
  more: Record<string, unknown> = {},
  auth: Auth = adminAuth,
): Promise<string> {
  const { status, body } = await server.post('com.core.server.createInviteCode', { useCount, ...more }, auth)
  expect(status).toBe(200)
  return body.code
}

const invited = async (name: string) => server.account(name, { inviteCode: await makeCode() })

const signUp = (name: string, inviteCode?: string) =>
  server.post('com.core.server.createAccount', { handle: `${name}.test`, password: 'a password', inviteCode })

async function codesOf(auth: Auth, params: Record<string, string> = {}) {
  const { status, body } = await server.get('com.core.server.getAccountInviteCodes', params, auth)
  expect(status).toBe(200)
  return body.codes
}

describe('createAccount', () => {
  test('needs a code', async () => {
    for (const code of [undefined, '', 'pds-test-aaaaa-aaaaa']) {
      expect(await signUp('uninvited', code)).toMatchObject(invalid)
    }
    const code = await makeCode()
    expect(code).toMatch(/^pds-test-[a-z2-7]{5}-[a-z2-7]{5}$/)
    expect((await signUp('welcome', ` ${code} `)).status).toBe(200)
  })

  test('does not show without a code whether an email address has an account', async () => {
    const signUpAs = (email: string, inviteCode?: string) =>
      server.post('com.core.server.createAccount', {
        ...{ handle: 'curious.test', password: 'a password', email, inviteCode },
      })
    for (const code of [undefined, 'pds-test-aaaaa-aaaaa']) {
      const [taken, free] = [await signUpAs(owner.email, code), await signUpAs('free@mail.test', code)]
      expect(taken).toMatchObject(invalid)
      expect(taken.body).toEqual(free.body)
    }
    expect(await signUpAs(owner.email, await makeCode())).toMatchObject(refusal(400, 'InvalidRequest'))
  })

  test('accepts a code in any letter case, because phone keyboards capitalize', async () => {
    const code = await makeCode(2)
    expect((await signUp('capital', code.replace('p', 'P'))).status).toBe(200)
    expect((await signUp('capitals', code.toUpperCase())).status).toBe(200)
    expect(await signUp('one-more', code)).toMatchObject(invalid)
  })

  test('accepts a code until it expires, and lists whom it is for', async () => {
    const expiresAt = new Date(server.clock.now().getTime() + minute).toISOString()
    const code = await makeCode(2, { note: ' Carol ', expiresAt }, owner)
    expect((await signUp('in-time', code)).status).toBe(200)
    expect(await codesOf(owner)).toContainEqual(expect.objectContaining({ code, note: 'Carol', expiresAt }))
    await server.clock.advance(minute)
    expect(await signUp('too-late', code)).toMatchObject(invalid)
  })

  test('an expiry is within a year from now', async () => {
    const now = server.clock.now().getTime()
    for (const method of ['createInviteCode', 'createInviteCodes']) {
      for (const at of [now - 1, now + 366 * day]) {
        const input = { useCount: 1, codeCount: 1, expiresAt: new Date(at).toISOString() }
        const { status, body } = await server.post(`com.core.server.${method}`, input, adminAuth)
        expect({ status, error: body.error }).toEqual({ status: 400, error: 'InvalidRequest' })
      }
    }
  })

  test('accepts a code as often as its use count says', async () => {
    const code = await makeCode(2)
    expect((await signUp('use-one', code)).status).toBe(200)
    expect((await signUp('use-two', code)).status).toBe(200)
    expect(await signUp('use-three', code)).toMatchObject(invalid)
  })

  test('does not use up the code if it fails', async () => {
    const code = await makeCode()
    expect(await signUp('owner-of-all', code)).toMatchObject(refusal(400, 'HandleNotAvailable'))
    expect(await signUp('x', code)).toMatchObject(refusal(400, 'InvalidHandle'))
    expect((await signUp('at-last', code)).status).toBe(200)
  })

  test('refuses a disabled code', async () => {
    const [code, other] = [await makeCode(), await makeCode()]
    const disable = { codes: [code] }
    expect((await server.post('com.core.admin.disableInviteCodes', disable, adminAuth)).status).toBe(200)
    expect(await signUp('disabled', code)).toMatchObject(invalid)
    expect((await signUp('enabled', other)).status).toBe(200)
  })

  test('uses up a code even if none is required', async () => {
    const open = await TestServer.start()
    try {
      const { body } = await open.post('com.core.server.createInviteCode', { useCount: 1 }, adminAuth)
      await open.account('first', { inviteCode: body.code })
      const second = { handle: 'second.test', password: 'a password', inviteCode: body.code }
      expect(await open.post('com.core.server.createAccount', second)).toMatchObject(invalid)
    } finally {
      await open.close()
    }
  })
})

describe('a code for an account', () => {
  test('is listed for it, with its uses', async () => {
    const alice = await invited('alice')
    const code = await makeCode(3, { forAccount: alice.did })
    const { body: guest } = await signUp('guest-of-alice', code)
    expect(await codesOf(alice)).toEqual([
      {
        code,
        available: 2,
        disabled: false,
        forAccount: alice.did,
        createdBy: 'admin',
        createdAt: expect.stringMatching(/^20\d\d-.*Z$/),
        uses: [{ usedBy: guest.did, usedAt: expect.stringMatching(/^20\d\d-.*Z$/) }],
      },
    ])
    const bob = await invited('bob')
    expect(await codesOf(bob)).toEqual([])
  })

  test('is not listed after its last use if includeUsed is false', async () => {
    const carla = await invited('carla')
    const [used, open] = [
      await makeCode(1, { forAccount: carla.did }),
      await makeCode(1, { forAccount: carla.did }),
    ]
    await signUp('guest-of-carla', used)
    const codes = async (params: Record<string, string>) =>
      (await codesOf(carla, params)).map(({ code }: { code: string }) => code)
    expect((await codes({})).sort()).toEqual([used, open].sort())
    expect(await codes({ includeUsed: 'false' })).toEqual([open])
  })

  test('is invalid while the account is taken down', async () => {
    const dan = await invited('dan')
    const code = await makeCode(2, { forAccount: dan.did })
    await server.setStatus(dan.did, { takedown: true })
    expect(await signUp('guest-of-dan', code)).toMatchObject(invalid)
    await server.setStatus(dan.did, { takedown: false })
    expect((await signUp('guest-of-dan', code)).status).toBe(200)
  })

  test('is disabled with all other codes of that account', async () => {
    const erin = await invited('erin')
    const codes = [await makeCode(1, { forAccount: erin.did }), await makeCode(1, { forAccount: erin.did })]
    const disable = { accounts: [erin.did] }
    await server.post('com.core.admin.disableInviteCodes', disable, adminAuth)
    for (const code of codes) expect(await signUp('guest-of-erin', code)).toMatchObject(invalid)
    expect(await codesOf(erin)).toMatchObject([{ disabled: true }, { disabled: true }])
  })

  test('of another server is valid for the import of that account only', async () => {
    const host = await startDidHost()
    try {
      const key = await P256Keypair.create()
      host.documents.set(host.did, didDocument(host.did, key, 'frank.old.example'))
      const code = await makeCode(1, { forAccount: host.did })
      expect(await signUp('not-frank', code)).toMatchObject(invalid)

      const now = Math.floor(server.clock.now().getTime() / 1000)
      const claims = { iss: host.did, aud: 'did:web:pds.test', lxm: 'com.core.server.createAccount' }
      const proof = await signServiceJwt(key, { ...claims, iat: now, exp: now + 60 })
      const input = { handle: 'frank.test', did: host.did, inviteCode: code }
      expect((await server.post('com.core.server.createAccount', input, proof)).status).toBe(200)
    } finally {
      await host.close()
    }
  })

  test.each([1, 5])(
    'a DID is imported again with the code of its first import (%i uses)',
    async (useCount) => {
      const host = await startDidHost()
      try {
        const key = await P256Keypair.create()
        host.documents.set(host.did, didDocument(host.did, key, 'gina.old.example'))
        const code = await makeCode(useCount)
        const importDid = async () => {
          const now = Math.floor(server.clock.now().getTime() / 1000)
          const claims = { iss: host.did, aud: 'did:web:pds.test', lxm: 'com.core.server.createAccount' }
          const proof = await signServiceJwt(key, { ...claims, iat: now, exp: now + 60 })
          const input = { handle: 'gina.test', did: host.did, inviteCode: code }
          return server.post('com.core.server.createAccount', input, proof)
        }
        expect((await importDid()).status).toBe(200)
        await server.post('com.core.admin.deleteAccount', { did: host.did }, adminAuth)
        expect((await importDid()).status).toBe(200)
        await server.post('com.core.admin.deleteAccount', { did: host.did }, adminAuth)

        // The DID has one use, however often it is imported.
        for (let left = useCount - 1; left > 0; left--) {
          expect((await signUp(`gina-guest-${useCount}-${left}`, code)).status).toBe(200)
        }
        expect(await signUp('gina-other', code)).toMatchObject(invalid)
        await server.post('com.core.admin.disableInviteCodes', { codes: [code] }, adminAuth)
        expect(await importDid()).toMatchObject(invalid)
      } finally {
        await host.close()
      }
    },
  )
})

describe('creating codes', () => {
  test('needs admin rights', async () => {
    const grace = await invited('grace')
    const forbidden = refusal(403, 'Forbidden')
    const make = (nsid: string, input: unknown, auth: Auth) =>
      server.post(`com.core.server.${nsid}`, input, auth)
    expect(await make('createInviteCode', { useCount: 1 }, grace)).toMatchObject(forbidden)
    expect(await make('createInviteCodes', { useCount: 1, codeCount: 1 }, grace)).toMatchObject(forbidden)
    const code = await makeCode(1, {}, owner)
    expect(await codesOf(owner)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ code, forAccount: owner.did, createdBy: owner.did }),
      ]),
    )
  })

  test.each([
    ['createInviteCode', { useCount: 0 }],
    ['createInviteCode', { useCount: 1001 }],
    ['createInviteCode', { useCount: 1.5 }],
    ['createInviteCode', {}],
    ['createInviteCode', { useCount: 1, forAccount: 'not-a-did' }],
    ['createInviteCodes', { codeCount: 0, useCount: 1 }],
    ['createInviteCodes', { codeCount: 101, useCount: 1 }],
    ['createInviteCodes', { codeCount: 1, useCount: 1001 }],
    ['createInviteCodes', { codeCount: 1, useCount: 1, forAccounts: ['not-a-did'] }],
    [
      'createInviteCodes',
      { codeCount: 51, useCount: 1, forAccounts: ['did:web:one.example', 'did:web:two.example'] },
    ],
  ])('%s refuses %j', async (nsid, input) => {
    expect(await server.post(`com.core.server.${nsid}`, input, adminAuth)).toMatchObject(
      refusal(400, 'InvalidRequest'),
    )
  })

  test('creates several codes for each of several accounts', async () => {
    const [heidi, ivan] = [await invited('heidi'), await invited('ivan')]
    const input = { codeCount: 3, useCount: 2, forAccounts: [heidi.did, ivan.did, heidi.did] }
    const { body } = await server.post('com.core.server.createInviteCodes', input, adminAuth)
    expect(body.codes.map(({ account }: { account: string }) => account)).toEqual([heidi.did, ivan.did])
    const all: string[] = body.codes.flatMap(({ codes }: { codes: string[] }) => codes)
    expect(new Set(all).size).toBe(6)
    expect(await codesOf(heidi)).toHaveLength(3)
    expect((await signUp('guest-of-ivan', body.codes[1].codes[0])).status).toBe(200)
  })

  test('creates a hundred codes without a holder', async () => {
    const input = { codeCount: 100, useCount: 1000 }
    const { body } = await server.post('com.core.server.createInviteCodes', input, adminAuth)
    expect(body.codes).toEqual([{ account: 'admin', codes: expect.any(Array) }])
    expect(new Set(body.codes[0].codes).size).toBe(100)
  })
})

describe('earned codes', () => {
  /** The account's session after a while. */
  async function later(account: Account, ms: number): Promise<Auth> {
    server.clock.advance(ms)
    return (await server.signIn(account)).body
  }

  test('are one per interval, up to five unused ones', async () => {
    const judy = await invited('judy')
    expect(await codesOf(judy)).toEqual([])
    expect(await codesOf(await later(judy, day - hour))).toEqual([])
    const dayOne = await later(judy, hour)
    expect(await codesOf(dayOne, { createAvailable: 'false' })).toEqual([])
    const [first] = await codesOf(dayOne)
    expect(first).toMatchObject({ available: 1, forAccount: judy.did, createdBy: judy.did })
    expect(await codesOf(dayOne)).toHaveLength(1)

    const nextMonth = await later(judy, 30 * day)
    expect(await codesOf(nextMonth)).toHaveLength(5)
    expect((await signUp('guest-of-judy', first.code)).status).toBe(200)
    expect(await codesOf(nextMonth)).toHaveLength(6)
    expect(await codesOf(nextMonth, { includeUsed: 'false' })).toHaveLength(5)

    const [open] = (await codesOf(nextMonth)).filter(({ available }: { available: number }) => available > 0)
    await server.post('com.core.admin.disableInviteCodes', { codes: [open.code] }, adminAuth)
    expect(await codesOf(nextMonth)).toHaveLength(7)
  })

  test('are not created twice by concurrent calls', async () => {
    const kim = await later(await invited('kim'), 2 * day)
    await Promise.all(Array.from({ length: 5 }, () => codesOf(kim)))
    expect(await codesOf(kim)).toHaveLength(2)
  })

  test('are listed with given codes, newest first, and counted apart from them', async () => {
    const leo = await invited('leo')
    const given: string[] = []
    for (let count = 0; count < 6; count++) given.unshift(await makeCode(1, { forAccount: leo.did }))
    const codes = (await codesOf(await later(leo, day))).map(({ code }: { code: string }) => code)
    expect(codes).toEqual([expect.any(String), ...given])
  })

  test('are not created for an inactive account', async () => {
    const mia = await later(await invited('mia'), day)
    await server.post('com.core.server.deactivateAccount', {}, mia)
    expect(await codesOf(mia)).toEqual([])
    await server.post('com.core.server.activateAccount', undefined, mia)
    expect(await codesOf(mia)).toHaveLength(1)
  })

  test('are not created without an interval', async () => {
    const plain = await TestServer.start()
    try {
      const account = await plain.account('patient')
      plain.clock.advance(365 * day)
      const { body } = await plain.signIn(account)
      expect((await plain.get('com.core.server.getAccountInviteCodes', {}, body)).body).toEqual({ codes: [] })
    } finally {
      await plain.close()
    }
  })
})
