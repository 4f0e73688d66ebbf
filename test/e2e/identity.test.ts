/** Handle and recovery key on the Account screen. On an ordinary server, with a directory that fails. */
import { P256Keypair } from '@atproto/crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nextOperation, PlcDirectory } from '../support/accounts/plc.ts'
import { NameServer } from '../support/network/dns.ts'
import { findings, overflow } from '../support/page/accessibility.ts'
import type { Page } from '../support/page/browser.ts'
import { setupOrdinaryWorld, world } from '../support/server/setup-ordinary-world.ts'

let directory: PlcDirectory
let names: NameServer

beforeAll(async () => {
  directory = await PlcDirectory.start()
  names = await NameServer.start()
})
afterAll(async () => {
  await Promise.all([directory.close(), names.close()])
})
setupOrdinaryWorld({ config: () => ({ plcUrl: directory.url, nameServers: [names.address] }) })

async function publishedAccount(name: string) {
  const account = await world.server.account(name)
  await world.server.running.services.background.idle()
  return account
}

async function expectAccessible(page: Page): Promise<void> {
  expect(await findings(page)).toEqual([])
  expect(await overflow(page)).toBe(0)
}

test('handle: another name on this server, then a domain once DNS names the account', async () => {
  const alice = await publishedAccount('alice')
  await world.server.account('bob')
  const page = await world.signedIn(alice, '/account')
  const change = page.getByRole('button', { name: 'Change handle' })
  await page.getByText('Published: other servers find your account by this handle.').waitFor()
  await change.click()
  const dialog = page.getByRole('dialog', { name: 'Change your handle' })
  await dialog.getByLabel('Handle').fill('bob')
  await dialog.getByText('bob.test is already taken. Try another.').waitFor()
  await dialog.getByLabel('Handle').fill('@alicia.test')
  await dialog.getByText('alicia.test is available').waitFor()
  await dialog.getByRole('button', { name: 'Change handle' }).click()
  await page.getByText('Your handle is now alicia.test').waitFor()
  expect(directory.last(alice.did)?.alsoKnownAs).toEqual(['at://alicia.test'])

  await change.click()
  await dialog.getByText('My own domain').click()
  await dialog.getByLabel('Domain', { exact: true }).fill('alice.example.com')
  await dialog.getByText('_atproto.alice.example.com').waitFor()
  await dialog.getByText(`did=${alice.did}`).waitFor()
  await dialog.getByText('Nothing found yet.').waitFor()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Change handle' }).click()
  await dialog.getByText('alice.example.com does not name your DID yet.').waitFor()

  names.set('alice.example.com', alice.did)
  world.server.clock.advance(60_000)
  await dialog.getByRole('button', { name: 'Check again' }).click()
  await dialog.getByText('alice.example.com names your account.').waitFor()
  await dialog.getByRole('button', { name: 'Change handle' }).click()
  await page.getByText('Your handle is now alice.example.com').waitFor()
  expect(directory.last(alice.did)?.alsoKnownAs).toEqual(['at://alice.example.com'])
})

test('recovery key: the printed secret key takes the identity back', async () => {
  const carla = await publishedAccount('carla')
  const page = await world.signedIn(carla, '/account', { width: 390 })
  await page.getByText('None. If this server is lost').waitFor()
  await page.getByRole('button', { name: 'Add recovery key' }).click()
  await page.getByRole('button', { name: 'Create paper kit' }).click()
  const dialog = page.getByRole('dialog', { name: 'Your paper kit' })
  const secret = (await dialog.getByLabel('Secret key', { exact: true }).innerText()).replaceAll(/\s/g, '')
  await dialog.getByText(carla.did).waitFor()
  await expectAccessible(page)
  await page.emulateMedia({ media: 'print' })
  // By text: roles leave out the content of a hidden dialog.
  expect(await page.locator('button', { hasText: 'Print' }).isVisible()).toBe(false)
  expect(await page.getByText('Recovery kit', { exact: true }).isVisible()).toBe(true)
  await page.emulateMedia({ media: 'screen' })

  const add = dialog.getByRole('button', { name: 'Add key' })
  expect(await add.isDisabled()).toBe(true)
  await dialog.getByText('I have printed the page').click()
  await dialog.getByLabel('Your password').fill('wrong password')
  await add.click()
  await dialog.getByText('Wrong password. Use your main password.').waitFor()
  await dialog.getByLabel('Your password').fill(carla.password)
  await add.click()
  await page.getByText('Recovery key added').waitFor()
  await page.getByText('With it you can move your account').waitFor()
  expect(await overflow(page)).toBe(0)

  const last = directory.last(carla.did)
  if (!last) throw new Error('not published')
  // Multibase: the prefix of p256-priv, then 32 bytes.
  const recovery = await P256Keypair.import(decodeBase58(secret.slice(1)).subarray(2))
  expect(last.rotationKeys[0]).toBe(recovery.did())
  const moved = await nextOperation(recovery, last, { rotationKeys: [recovery.did()] })
  await directory.submit(carla.did, moved)
  expect(directory.last(carla.did)).toEqual(moved)
})

test('recovery key: one that the holder has is added and removed', async () => {
  const dan = await publishedAccount('dan')
  const key = (await P256Keypair.create()).did()
  const page = await world.signedIn(dan, '/account', { colorScheme: 'dark' })
  await page.getByRole('button', { name: 'Add recovery key' }).click()
  await page.getByText('Use a key of mine').click()
  await page.getByLabel('Public key').fill('z42not-a-public-key')
  await page.getByText('This is not a public key.').waitFor()
  await page.getByLabel('Public key').fill(key)
  await page.getByLabel('Your password').fill(dan.password)
  await page.getByRole('button', { name: 'Add key' }).click()
  await page.getByText(key).waitFor()
  expect(directory.last(dan.did)?.rotationKeys[0]).toBe(key)

  await page.getByRole('button', { name: 'Remove recovery key' }).click()
  await page.getByLabel('Your password').fill(dan.password)
  await page.getByRole('button', { name: 'Remove key' }).click()
  await page.getByText('Recovery key removed').waitFor()
  await page.getByText('None. If this server is lost').waitFor()
  expect(directory.last(dan.did)?.rotationKeys).not.toContain(key)
})

test('identity: a handle that was changed in the directory is shown, and published again', async () => {
  const recovery = await P256Keypair.create()
  const fay = await world.server.account('fay', { recoveryKey: recovery.did() })
  await world.server.running.services.background.idle()
  const last = directory.last(fay.did)
  if (!last) throw new Error('not published')
  await directory.submit(
    fay.did,
    await nextOperation(recovery, last, { alsoKnownAs: ['at://other.example'] }),
  )
  const page = await world.signedIn(fay, '/account', { width: 390 })
  await page.getByText('The directory names other.example instead.').waitFor()
  expect(await overflow(page)).toBe(0)
  await page.getByRole('button', { name: 'Publish again' }).click()
  await page.getByText('Handle published').waitFor()
  await page.getByText('Published: other servers find your account').waitFor()
  expect(directory.last(fay.did)?.alsoKnownAs).toEqual(['at://fay.test'])
})

test('identity: while the directory is down, an error offers to try again', async () => {
  const erin = await publishedAccount('erin')
  directory.mode = 'down'
  const page = await world.signedIn(erin, '/account')
  await page.getByText('The did:plc directory does not answer').waitFor()
  directory.mode = 'up'
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('None. If this server is lost').waitFor()
})

/** Decodes base58btc without leading zeros. */
function decodeBase58(text: string): Buffer {
  const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
  const number = [...text].reduce((sum, digit) => sum * 58n + BigInt(digits.indexOf(digit)), 0n)
  return Buffer.from(number.toString(16), 'hex')
}
