import { expect, test } from 'vitest'
import { type Page, PasskeyDevice } from '../../../support/accounts/passkey.ts'
import { minute } from '../../../support/server/clock.ts'
import { type Account, refusal } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'

setupServer()

const invalid = refusal(400, 'InvalidPasskey')
const method = (name: string) => `com.core.factor.${name}`
const ownPage = (): Page => ({ origin: `http://localhost:${new URL(server.url).port}` })

/** @param device that the account has already */
async function creationFor({ password, ...account }: Account, device?: PasskeyDevice) {
  const proof = device && (await prove(device.use(await challenge(), ownPage())))
  const input = { password, authFactorToken: proof?.body.token }
  return (await server.post(method('startPasskey'), input, account)).body.options
}
const add = (account: Account, response: object, name = 'Laptop') =>
  server.post(method('addPasskey'), { name, response }, account)
const challenge = async () => (await server.post(method('challengePasskey'))).body.options
const prove = (response: object) => server.post(method('provePasskey'), { response })
const signIn = (account: Account, authFactorToken: string) => server.signIn(account, { authFactorToken })

async function withPasskey(
  name: string,
  device = new PasskeyDevice(),
): Promise<{ account: Account; device: PasskeyDevice }> {
  const account = await server.account(name)
  const { status, body } = await add(account, device.create(await creationFor(account), ownPage()))
  expect(status).toBe(200)
  expect(body.recoveryCodes).toHaveLength(10)
  return { account, device }
}

test('a passkey signs in beside the password, and each proof once', async () => {
  const { account, device } = await withPasskey('ada')
  expect(await server.signIn(account)).toMatchObject(refusal(401, 'AuthFactorTokenRequired'))
  const answer = device.use(await challenge(), ownPage())
  const { body } = await prove(answer)
  expect((await signIn(account, body.token)).status).toBe(200)
  expect(await signIn(account, body.token)).toMatchObject(refusal(400, 'InvalidToken'))
  expect(await prove(answer)).toMatchObject(invalid)
  const listed = await server.get(method('listFactors'), {}, account)
  expect(listed.body.factors).toMatchObject([
    { kind: 'passkey', host: 'localhost', lastUsedAt: expect.any(String) },
  ])
})

test('a proof does not sign in to another account, nor without the password', async () => {
  const { account, device } = await withPasskey('ben')
  const { account: other } = await withPasskey('cid')
  const { body } = await prove(device.use(await challenge(), ownPage()))
  expect(await signIn(other, body.token)).toMatchObject(refusal(400, 'InvalidToken'))
  const guess = { ...account, password: 'wrong password' }
  expect(await signIn(guess, body.token)).toMatchObject(refusal(401, 'AuthenticationRequired'))
})

test('answers of other pages, of another program on this computer, and for other hosts are refused', async () => {
  const { account, device } = await withPasskey('dot')
  const pages: Page[] = [
    { origin: 'https://evil.example' },
    { origin: 'http://localhost:1' },
    { origin: `http://127.0.0.1:${new URL(server.url).port}` },
    { ...ownPage(), host: 'evil.example' },
  ]
  for (const page of pages) {
    expect(await prove(device.use(await challenge(), page))).toMatchObject(invalid)
    expect(
      await add(account, new PasskeyDevice().create(await creationFor(account, device), page)),
    ).toMatchObject(invalid)
  }
})

test('a challenge is valid for five minutes, for its purpose and account, and not after a restart', async () => {
  const { account, device } = await withPasskey('eve')
  const old = await challenge()
  server.clock.advance(6 * minute)
  expect(await prove(device.use(old, ownPage()))).toMatchObject(invalid)
  expect(await prove(device.use(await creationFor(account, device), ownPage()))).toMatchObject(invalid)
  const other = await server.account('fay')
  const device2 = new PasskeyDevice()
  expect(await add(other, device2.create(await creationFor(account, device), ownPage()))).toMatchObject(
    invalid,
  )
  const before = await challenge()
  await server.restart()
  expect(await prove(device.use(before, ownPage()))).toMatchObject(invalid)
  expect((await prove(device.use(await challenge(), ownPage()))).status).toBe(200)
})

test('a forged signature and a copied device are refused', async () => {
  const { device } = await withPasskey('gus')
  const forged = device.use(await challenge(), ownPage())
  const { signature: _, ...rest } = forged.response
  const other = new PasskeyDevice().use(await challenge(), ownPage())
  expect(
    await prove({ ...forged, response: { ...rest, signature: other.response.signature } }),
  ).toMatchObject(invalid)
  expect((await prove(device.use(await challenge(), ownPage()))).status).toBe(200)
  device.setBack()
  expect(await prove(device.use(await challenge(), ownPage()))).toMatchObject(invalid)
})

test('an answer counts once, also of a device that does not count', async () => {
  const { device } = await withPasskey('kim', new PasskeyDevice(false))
  const answer = device.use(await challenge(), ownPage())
  expect((await prove(answer)).status).toBe(200)
  expect(await prove(answer)).toMatchObject(invalid)
  expect((await prove(device.use(await challenge(), ownPage()))).status).toBe(200)
})

test('malformed answers are refused', async () => {
  const { account, device } = await withPasskey('hal')
  const good = device.use(await challenge(), ownPage())
  const broken: object[] = [
    {},
    { id: 1 },
    { id: device.id },
    { ...good, response: null },
    { ...good, response: { clientDataJSON: 'e30' } },
    { ...good, rawId: 'x' },
    { ...good, response: { ...good.response, authenticatorData: 'AA' } },
    { ...good, response: { ...good.response, clientDataJSON: 'x'.repeat(10_000) } },
  ]
  for (const response of broken) {
    expect(await prove(response)).toMatchObject(invalid)
    expect(await add(account, response)).toMatchObject(invalid)
  }
})

test('a passkey is added once, and none is offered twice', async () => {
  const { account, device } = await withPasskey('ida')
  const options = await creationFor(account, device)
  expect(options.excludeCredentials).toMatchObject([{ id: device.id }])
  expect(await add(account, device.create(options, ownPage()))).toMatchObject(invalid)
})

test('challenges are the same for everyone: they name no account and no passkey', async () => {
  await withPasskey('jon')
  const options = await challenge()
  expect(Object.keys(options).toSorted()).toEqual(['challenge', 'timeout', 'userVerification'])
})
