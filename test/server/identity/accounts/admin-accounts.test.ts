/** Accounts as an administrator sees and changes them. */
import { describe, expect, test } from 'vitest'
import { PlcDirectory } from '../../../support/accounts/plc.ts'
import { day } from '../../../support/server/clock.ts'
import { type Account, adminAuth, refusal, TestServer } from '../../../support/server/server.ts'
import { owner, server, setupServer } from '../../../support/server/setup.ts'

setupServer({ accounts: ['owner-of-all'] })

const unknownDid = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const get = (name: string, params: Record<string, string | string[]>, on = server) =>
  on.get(`com.core.admin.${name}`, params, adminAuth)
const post = (name: string, input: unknown, on = server) =>
  on.post(`com.core.admin.${name}`, input, adminAuth)
const info = async (did: string) => (await get('getAccountInfo', { did })).body
const codeFor = async (forAccount: string | undefined, useCount = 1, on = server) =>
  (await on.post('com.core.server.createInviteCode', { useCount, forAccount }, adminAuth)).body.code as string
const session = async (auth: Account) => (await server.get('com.core.server.getSession', {}, auth)).body

describe('account information', () => {
  test('has email, confirmation, status and creation time', async () => {
    const alice = await server.account('alice')
    await server.confirmEmail(alice)
    expect(await info(alice.did)).toEqual({
      did: alice.did,
      handle: 'alice.test',
      email: alice.email,
      emailConfirmedAt: expect.stringMatching(/^2030-/),
      indexedAt: expect.stringMatching(/^2030-/),
      invites: [],
      invitesDisabled: false,
      owner: false,
      active: true,
    })
    await server.setStatus(alice.did, { deactivated: true })
    const changed = await info(alice.did)
    expect(changed).toMatchObject({ active: false, status: 'deactivated' })
    expect(changed.deactivatedAt).toMatch(/^2030-/)
    expect(await info(owner.did)).toMatchObject({ owner: true })
  })

  test('has the invite code of the sign-up and the own codes with their uses', async () => {
    const inviter = await server.account('inviter')
    const code = await codeFor(inviter.did, 2)
    const guest = await server.account('guest', { inviteCode: code })
    const own = {
      code,
      available: 1,
      disabled: false,
      forAccount: inviter.did,
      uses: [{ usedBy: guest.did }],
    }
    expect(await info(guest.did)).toMatchObject({ invitedBy: own, invites: [] })
    expect(await info(inviter.did)).toMatchObject({ invites: [own] })
  })

  test('of several accounts leaves unknown DIDs out', async () => {
    const one = await server.account('one-of-two')
    const { body } = await get('getAccountInfos', { dids: [one.did, unknownDid, owner.did, one.did] })
    expect(body.infos.map(({ did }: Account) => did)).toEqual([one.did, owner.did])
  })

  test('is known under the names of the network', async () => {
    const { body } = await server.get('com.atproto.admin.getAccountInfo', { did: owner.did }, adminAuth)
    expect(body).toMatchObject({ did: owner.did, handle: owner.handle })
  })
})

describe('searchAccounts', () => {
  const search = async (email?: string, more: Record<string, string> = {}) =>
    (await get('searchAccounts', { ...(email !== undefined && { email }), ...more })).body
  const handles = (body: { accounts: Account[] }) => body.accounts.map(({ handle }) => handle)

  test('finds accounts by the beginning of the handle or email address, in any letter case', async () => {
    const mallory = await server.account('mallory', { email: 'zebra@mail.test' })
    expect(handles(await search('MALL'))).toEqual(['mallory.test'])
    expect(handles(await search('Zebra@'))).toEqual(['mallory.test'])
    expect(handles(await search(mallory.did))).toEqual(['mallory.test'])
    for (const text of ['allory', 'mallory_test', 'mall%', 'ebra', mallory.did.slice(0, -1)]) {
      expect(handles(await search(text))).toEqual([])
    }
  })

  test('has pages, in order of creation', async () => {
    const made = ['page-c', 'page-a', 'page-b']
    for (const name of made) {
      await server.account(name)
      server.clock.advance(1000)
    }
    const first = await search('page-', { limit: '2' })
    expect(handles(first)).toEqual(['page-c.test', 'page-a.test'])
    const rest = await search('page-', { limit: '2', cursor: first.cursor })
    expect(handles(rest)).toEqual(['page-b.test'])
    expect(rest).not.toHaveProperty('cursor')
    const whole = await search('page-', { limit: '3', cursor: '' })
    expect(whole).not.toHaveProperty('cursor')
    expect(await get('searchAccounts', { cursor: 'x' })).toMatchObject(refusal(400, 'InvalidRequest'))
  })

  test('lists all accounts without a text', async () => {
    expect(handles(await search(undefined, { limit: '1' }))).toEqual([owner.handle])
    expect(handles(await search('', { limit: '1' }))).toEqual([owner.handle])
  })
})

describe('updateAccountEmail', () => {
  test('sets an unconfirmed address, and turns the second factor off', async () => {
    const bob = await server.account('bob')
    await server.confirmEmail(bob)
    await server.post('com.core.server.requestEmailUpdate', undefined, bob)
    const token = await server.codeTo(bob.email)
    await server.post('com.core.server.updateEmail', { email: bob.email, emailAuthFactor: true, token }, bob)
    expect((await post('updateAccountEmail', { account: bob.handle, email: 'New@Mail.test ' })).status).toBe(
      200,
    )
    const changed = { email: 'new@mail.test', emailConfirmed: false, emailAuthFactor: false }
    expect(await session(bob)).toMatchObject(changed)
    expect((await server.signIn({ ...bob, handle: 'new@mail.test' })).status).toBe(200)
  })

  test('voids codes that were mailed to the previous address', async () => {
    const eve = await server.account('eve')
    await server.post('com.core.server.requestPasswordReset', { email: eve.email })
    const token = await server.codeTo(eve.email)
    await post('updateAccountEmail', { account: eve.did, email: 'eve-two@mail.test' })
    const reset = { token, password: 'another password' }
    const answer = await server.post('com.core.server.resetPassword', reset)
    expect(answer).toMatchObject(refusal(400, 'InvalidToken'))
  })

  test('keeps the confirmation of an address that stays the same', async () => {
    const same = await server.account('same')
    await server.confirmEmail(same)
    await post('updateAccountEmail', { account: same.did, email: same.email.toUpperCase() })
    expect(await session(same)).toMatchObject({ emailConfirmed: true })
  })

  test.each(['owner-of-all@mail.test', 'nonsense', ''])('refuses %j', async (email) => {
    const holder = await server.account(`holder-${email.length}`)
    const answer = await post('updateAccountEmail', { account: holder.did, email })
    expect(answer).toMatchObject(refusal(400, 'InvalidRequest'))
    expect(await session(holder)).toMatchObject({ email: holder.email })
  })
})

describe('updateAccountHandle', () => {
  test('changes the handle everywhere', async () => {
    const carla = await server.account('carla')
    expect((await post('updateAccountHandle', { did: carla.did, handle: 'Carlotta.test' })).status).toBe(200)
    expect(await session(carla)).toMatchObject({
      handle: 'carlotta.test',
      didDoc: { alsoKnownAs: ['at://carlotta.test'] },
    })
    const resolve = (handle: string) => server.get('com.core.identity.resolveHandle', { handle })
    expect(await resolve('carlotta.test')).toMatchObject({ body: { did: carla.did } })
    expect((await resolve('carla.test')).status).toBe(400)
    expect((await server.signIn({ ...carla, handle: 'carlotta.test' })).status).toBe(200)
  })

  test('of two changes to one handle, one fails', async () => {
    const [dan, erin] = [await server.account('dan'), await server.account('erin')]
    const answers = await Promise.all(
      [dan, erin].map(({ did }) => post('updateAccountHandle', { did, handle: 'wanted.test' })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400])
    expect(answers.find(({ status }) => status === 400)).toMatchObject(refusal(400, 'HandleNotAvailable'))
  })

  test('updates a published identity first, and changes nothing while the directory is down', async () => {
    const directory = await PlcDirectory.start()
    const published = await TestServer.start({ plcUrl: directory.url })
    try {
      const frank = await published.account('frank')
      await published.running.services.background.idle()
      const rename = (handle: string) => post('updateAccountHandle', { did: frank.did, handle }, published)
      expect((await rename('franz.test')).status).toBe(200)
      expect(directory.last(frank.did)?.alsoKnownAs).toEqual(['at://franz.test'])

      directory.mode = 'down'
      expect(await rename('francis.test')).toMatchObject(refusal(502, 'UpstreamFailure'))
      expect((await published.signIn({ ...frank, handle: 'franz.test' })).body.handle).toBe('franz.test')
      directory.mode = 'up'
      expect(directory.last(frank.did)?.alsoKnownAs).toEqual(['at://franz.test'])
    } finally {
      await published.close()
      await directory.close()
    }
  })
})

describe('invite codes', () => {
  test('are listed newest first or most used first, in pages', async () => {
    const fresh = await TestServer.start()
    try {
      const codes: string[] = []
      for (const uses of [1, 2, 0, 0]) {
        const code = await codeFor(undefined, 5, fresh)
        for (let use = 0; use < uses; use++) {
          await fresh.account(`user-${codes.length}-${use}`, { inviteCode: code })
        }
        codes.push(code)
        fresh.clock.advance(1000)
      }
      const [one = '', two = '', three = '', four = ''] = codes
      const pages = async (sort: string) => {
        const listed: string[] = []
        let cursor: string | undefined = ''
        while (cursor !== undefined) {
          const { body } = await get('getInviteCodes', { sort, limit: '2', cursor }, fresh)
          expect(body.codes).toHaveLength(2)
          listed.push(...body.codes.map(({ code }: { code: string }) => code))
          cursor = body.cursor
        }
        return listed
      }
      expect(await pages('recent')).toEqual([four, three, two, one])
      expect(await pages('usage')).toEqual([two, one, ...[three, four].toSorted().reverse()])
      const { body } = await get('getInviteCodes', {}, fresh)
      expect(body.codes[2]).toMatchObject({ code: two, available: 3, uses: [{}, {}] })
      const { body: page } = await get('getInviteCodes', { limit: '1' }, fresh)
      const other = await get('getInviteCodes', { sort: 'usage', cursor: page.cursor }, fresh)
      expect(other).toMatchObject(refusal(400, 'InvalidRequest'))
    } finally {
      await fresh.close()
    }
  })

  test('are no longer earned by an account while they are disabled for it', async () => {
    const earning = await TestServer.start({ inviteInterval: day })
    try {
      const gina = await earning.account('gina')
      const earned = async () => {
        const { body } = await earning.post('com.core.server.createSession', {
          identifier: gina.handle,
          password: gina.password,
        })
        return (await earning.get('com.core.server.getAccountInviteCodes', {}, body)).body.codes
      }
      earning.clock.advance(day)
      expect(await earned()).toHaveLength(1)
      await post('disableAccountInvites', { account: gina.did, note: 'Too many guests' }, earning)
      earning.clock.advance(day)
      // The code that it has stays valid.
      expect(await earned()).toMatchObject([{ disabled: false }])
      const { body: disabled } = await get('getAccountInfo', { did: gina.did }, earning)
      expect(disabled).toMatchObject({ invitesDisabled: true, inviteNote: 'Too many guests' })
      await post('enableAccountInvites', { account: gina.did }, earning)
      expect(await earned()).toHaveLength(2)
      const { body: enabled } = await get('getAccountInfo', { did: gina.did }, earning)
      expect(enabled).toMatchObject({ invitesDisabled: false })
      expect(enabled).not.toHaveProperty('inviteNote')
    } finally {
      await earning.close()
    }
  })
})

describe('sendEmail', () => {
  const send = (recipientDid: string, more: Record<string, unknown> = {}) =>
    post('sendEmail', { recipientDid, senderDid: owner.did, content: 'Hello there.', ...more })

  test('sends a message, without the comment', async () => {
    const heidi = await server.account('heidi')
    const sent = await send(heidi.did, { subject: 'Maintenance tonight', comment: 'planned' })
    expect(sent).toMatchObject({ status: 200, body: { sent: true } })
    const [mail] = await server.mailsTo(heidi.email)
    expect(mail).toMatchObject({ subject: 'Maintenance tonight', purpose: 'message' })
    expect(mail?.text.trim()).toBe('Hello there.')
    expect(mail?.code).toBeUndefined()
  })

  test('names the server if there is no subject', async () => {
    const ivan = await server.account('ivan')
    await send(ivan.did)
    const [mail] = await server.mailsTo(ivan.email)
    expect(mail?.subject).toBe('Message from the administrator of pds.test')
  })

  test('is refused for an account without email address, and with a subject of two lines', async () => {
    const judy = await server.account('judy', { email: undefined })
    expect(await send(judy.did)).toMatchObject(refusal(400, 'InvalidRequest'))
    const two = await send(owner.did, { subject: 'Hello\r\nBcc: everyone@mail.test' })
    expect(two).toMatchObject(refusal(400, 'InvalidRequest'))
  })
})
