import { describe, expect, test } from 'vitest'
import { minute } from '../../../support/server/clock.ts'
import { type Account, refusal } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'

setupServer()

type Auth = Pick<Account, 'accessJwt'>

const askToConfirm = (auth: Auth) => server.post('com.core.server.requestEmailConfirmation', undefined, auth)
const confirm = (auth: Auth, email: string, token: string) =>
  server.post('com.core.server.confirmEmail', { email, token }, auth)
const askToUpdate = (auth: Auth) => server.post('com.core.server.requestEmailUpdate', undefined, auth)
const update = (auth: Auth, email: string, more: Record<string, unknown> = {}) =>
  server.post('com.core.server.updateEmail', { email, ...more }, auth)
const session = async (auth: Auth) => (await server.get('com.core.server.getSession', {}, auth)).body

async function confirmed(name: string): Promise<Account> {
  const account = await server.account(name)
  await server.confirmEmail(account)
  return account
}

/** A token to change the email address, fresh from the mail. */
async function updateToken(account: Account): Promise<string> {
  await askToUpdate(account)
  return server.codeTo(account.email)
}

describe('confirmEmail', () => {
  test('accepts the mailed code', async () => {
    const alice = await server.account('alice')
    expect((await askToConfirm(alice)).status).toBe(200)
    const mails = await server.mailsTo(alice.email)
    expect(mails).toMatchObject([
      { purpose: 'confirmEmail', code: expect.stringMatching(/^[A-Z2-7]{5}-[A-Z2-7]{5}$/) },
    ])
    expect(mails[0]?.text).toContain('@alice.test')
    const token = await server.codeTo(alice.email)
    expect((await confirm(alice, alice.email.toUpperCase(), token.toLowerCase())).status).toBe(200)
    expect(await session(alice)).toMatchObject({ emailConfirmed: true })
  })

  test('accepts a code with blanks around it, without its dash, and with a blank instead', async () => {
    const typings = [
      (code: string) => ` ${code} `,
      (code: string) => code.replace('-', ''),
      (code: string) => code.replace('-', ' ').toLowerCase(),
    ]
    for (const [n, type] of typings.entries()) {
      const typist = await server.account(`typist${n}`)
      expect((await askToConfirm(typist)).status).toBe(200)
      const code = type(await server.codeTo(typist.email))
      expect((await confirm(typist, typist.email, code)).status).toBe(200)
    }
  })

  test('refuses another address', async () => {
    const bob = await server.account('bob')
    await askToConfirm(bob)
    const token = await server.codeTo(bob.email)
    expect(await confirm(bob, 'other@mail.test', token)).toMatchObject(refusal(400, 'InvalidEmail'))
    expect((await confirm(bob, bob.email, token)).status).toBe(200)
  })

  test('refuses codes that are wrong, used, for another purpose or of another account', async () => {
    const [carla, dan] = [await server.account('carla'), await server.account('dan')]
    const refused = refusal(400, 'InvalidToken')
    expect(await confirm(carla, carla.email, 'AAAAA-AAAAA')).toMatchObject(refused)
    await server.post('com.core.server.requestAccountDelete', undefined, carla)
    expect(await confirm(carla, carla.email, await server.codeTo(carla.email))).toMatchObject(refused)
    await askToConfirm(carla)
    await askToConfirm(dan)
    expect(await confirm(carla, carla.email, await server.codeTo(dan.email))).toMatchObject(refused)
    const token = await server.codeTo(carla.email)
    expect((await confirm(carla, carla.email, token)).status).toBe(200)
    expect(await confirm(carla, carla.email, token)).toMatchObject(refused)
  })

  test('fails with ExpiredToken after 15 minutes', async () => {
    const erin = await server.account('erin')
    await askToConfirm(erin)
    const token = await server.codeTo(erin.email)
    server.clock.advance(15 * minute)
    expect(await confirm(erin, erin.email, token)).toMatchObject(refusal(400, 'ExpiredToken'))
    expect(await session(erin)).toMatchObject({ emailConfirmed: false })
  })

  test('accepts an earlier code after another was requested', async () => {
    const frank = await server.account('frank')
    await askToConfirm(frank)
    const earlier = await server.codeTo(frank.email)
    await askToConfirm(frank)
    expect((await confirm(frank, frank.email, earlier)).status).toBe(200)
    expect(await confirm(frank, frank.email, await server.codeTo(frank.email))).toMatchObject(
      refusal(400, 'InvalidToken'),
    )
  })

  test('works with an app password', async () => {
    const grace = await server.account('grace')
    const app = await server.appSession(grace, 'phone')
    expect((await askToConfirm(app)).status).toBe(200)
    expect((await confirm(app, grace.email, await server.codeTo(grace.email))).status).toBe(200)
  })
})

describe('a new address', () => {
  test('needs the password, or a token mailed to the old address, while that is unconfirmed', async () => {
    const heidi = await server.account('heidi')
    const { password } = heidi
    expect(await update(heidi, 'heidi@thief.test')).toMatchObject(refusal(400, 'TokenRequired'))
    expect(await update(heidi, 'heidi@thief.test', { password: 'wrong' })).toMatchObject(
      refusal(401, 'AuthenticationRequired'),
    )
    expect((await update(heidi, ' Heidi@Second.test ', { password })).status).toBe(200)
    expect((await askToUpdate(heidi)).body).toEqual({ tokenRequired: true })
    const token = await server.codeTo('heidi@second.test')
    expect((await update(heidi, ' Heidi@New.test ', { token })).status).toBe(200)
    expect(await session(heidi)).toMatchObject({ email: 'heidi@new.test', emailConfirmed: false })
    expect((await server.signIn(heidi, { identifier: 'heidi@new.test' })).status).toBe(200)
    expect((await server.signIn(heidi, { identifier: heidi.email })).status).toBe(401)
  })

  test('needs a token, mailed to the old address, when that is confirmed', async () => {
    const ivan = await confirmed('ivan')
    expect((await askToUpdate(ivan)).body).toEqual({ tokenRequired: true })
    for (const none of [{}, { token: '' }, { token: ' ' }, { password: ivan.password }]) {
      expect(await update(ivan, 'ivan@new.test', none)).toMatchObject(refusal(400, 'TokenRequired'))
    }
    expect(await update(ivan, 'ivan@new.test', { token: 'AAAAA-AAAAA' })).toMatchObject(
      refusal(400, 'InvalidToken'),
    )
    const token = await server.codeTo(ivan.email)
    expect((await update(ivan, 'ivan@new.test', { token })).status).toBe(200)
    expect(await session(ivan)).toMatchObject({ email: 'ivan@new.test', emailConfirmed: false })
    expect(await server.mailsTo('ivan@new.test')).toEqual([])
    const notice = (await server.mailsTo(ivan.email)).at(-1)
    expect(notice).toMatchObject({ subject: 'Your account was changed' })
    expect(notice?.text).toContain('The email address of the account was changed')
  })

  test('is refused with a token older than 15 minutes', async () => {
    const judy = await confirmed('judy')
    const token = await updateToken(judy)
    server.clock.advance(15 * minute)
    expect(await update(judy, 'judy@new.test', { token })).toMatchObject(refusal(400, 'ExpiredToken'))
    expect(await session(judy)).toMatchObject({ email: judy.email, emailConfirmed: true })
  })

  test('uses its token once', async () => {
    const kim = await confirmed('kim')
    const token = await updateToken(kim)
    expect((await update(kim, kim.email, { token })).status).toBe(200)
    expect(await update(kim, 'kim@new.test', { token })).toMatchObject(refusal(400, 'InvalidToken'))
  })

  test('invalidates the codes that were sent to the old address', async () => {
    const leo = await server.account('leo')
    await server.post('com.core.server.requestAccountDelete', undefined, leo)
    const token = await server.codeTo(leo.email)
    expect((await update(leo, 'leo@new.test', { password: leo.password })).status).toBe(200)
    const input = { did: leo.did, password: leo.password, token }
    expect(await server.post('com.core.server.deleteAccount', input, leo)).toMatchObject(
      refusal(400, 'InvalidToken'),
    )
  })

  test('is refused if it is invalid or of another account, and keeps the token', async () => {
    const [mia, nina] = [await confirmed('mia'), await server.account('nina')]
    const token = await updateToken(mia)
    for (const email of ['', 'mia', nina.email, nina.email.toUpperCase()]) {
      expect(await update(mia, email, { token })).toMatchObject(refusal(400, 'InvalidRequest'))
    }
    expect((await update(mia, 'mia@new.test', { token })).status).toBe(200)
  })

  test('that equals the old one changes nothing', async () => {
    const olga = await confirmed('olga')
    const token = await updateToken(olga)
    expect((await update(olga, olga.email.toUpperCase(), { token })).status).toBe(200)
    expect(await session(olga)).toMatchObject({ email: olga.email, emailConfirmed: true })
  })
})

describe('the second factor', () => {
  test('is turned on with a confirmed address, by a token or the password', async () => {
    const [pat, pia] = [await confirmed('pat'), await confirmed('pia')]
    expect(await update(pat, pat.email, { emailAuthFactor: true })).toMatchObject(
      refusal(400, 'TokenRequired'),
    )
    const more = { emailAuthFactor: true, password: pat.password }
    expect((await update(pat, pat.email, more)).status).toBe(200)
    const byToken = { emailAuthFactor: true, token: await updateToken(pia) }
    expect((await update(pia, pia.email, byToken)).status).toBe(200)
    expect(await session(pat)).toMatchObject({ emailConfirmed: true, emailAuthFactor: true })
  })

  test('is not turned on together with a new address', async () => {
    const quinn = await confirmed('quinn')
    const more = { emailAuthFactor: true, token: await updateToken(quinn) }
    expect(await update(quinn, 'quinn@new.test', more)).toMatchObject(refusal(400, 'InvalidRequest'))
    expect(await session(quinn)).toMatchObject({ email: quinn.email, emailAuthFactor: false })
  })

  test('stays on when updateEmail does not mention it', async () => {
    const rosa = await confirmed('rosa')
    await update(rosa, rosa.email, { emailAuthFactor: true, token: await updateToken(rosa) })
    await update(rosa, rosa.email, { token: await updateToken(rosa) })
    expect(await session(rosa)).toMatchObject({ emailAuthFactor: true })
  })
})

describe('an account without an address', () => {
  test('cannot request a code', async () => {
    const sam = await server.account('sam', { email: undefined })
    for (const nsid of ['requestEmailConfirmation', 'requestEmailUpdate', 'requestAccountDelete']) {
      const answer = await server.post(`com.core.server.${nsid}`, undefined, sam)
      expect(answer, nsid).toMatchObject(refusal(400, 'InvalidRequest'))
    }
    expect(await confirm(sam, 'sam@mail.test', 'AAAAA-AAAAA')).toMatchObject(refusal(400, 'InvalidEmail'))
  })

  test('sets one with the password', async () => {
    const tina = await server.account('tina', { email: undefined })
    expect(await update(tina, 'tina@thief.test')).toMatchObject(refusal(401, 'AuthenticationRequired'))
    expect((await update(tina, 'tina@mail.test', { password: tina.password })).status).toBe(200)
    await server.confirmEmail({ ...tina, email: 'tina@mail.test' })
    expect(await session(tina)).toMatchObject({ email: 'tina@mail.test', emailConfirmed: true })
  })
})
