/** Recovering an account with its recovery kit, in the browser: between ordinary servers with one directory. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toMultibase } from '../../renderer/api/multibase.ts'
import { createSigningKey } from '../../server/util/keys.ts'
import { PlcDirectory } from '../support/accounts/plc.ts'
import { findings, overflow } from '../support/page/accessibility.ts'
import type { Page } from '../support/page/browser.ts'
import { blobOf, png } from '../support/records/blobs.ts'
import { type Account, TestServer } from '../support/server/server.ts'
import { setupOrdinaryWorld, world } from '../support/server/setup-ordinary-world.ts'
import { heading } from '../support/server/world.ts'

let directory: PlcDirectory
let other: TestServer

const shared = () => ({ plcUrl: directory.url, allowPrivateTargets: true, publicUrl: undefined })

beforeAll(async () => {
  directory = await PlcDirectory.start()
  other = await TestServer.start({ ...shared(), userDomains: ['.other.test'] })
})
afterAll(async () => {
  await other.close()
  await directory.close()
})
setupOrdinaryWorld({ config: shared })

/** An account of the other server with a recovery key, one record and one file. */
async function holder(name: string): Promise<Account & { secret: string }> {
  const key = await createSigningKey()
  const account = await other.account(name, { handle: `${name}.other.test`, recoveryKey: key.did })
  const blob = await blobOf(other, account, png(name))
  const record = { repo: account.did, collection: 'com.example.note', record: { blob } }
  expect((await other.post('com.core.repo.createRecord', record, account)).status).toBe(200)
  await other.running.services.identity.plc.publish(account.did)
  return { ...account, secret: toMultibase([0x86, 0x26, ...key.privateKey]) }
}

/** The path of the ZIP file that the other server's screen Data saves. */
async function archiveOf(account: Account): Promise<string> {
  const { body } = await other.signIn(account)
  const page = await world.visitor()
  await page.addInitScript(`localStorage['pds.sessions'] ??= ${JSON.stringify(JSON.stringify([body]))}`)
  await page.goto(`http://localhost:${new URL(other.url).port}/#/data`)
  for (;;) {
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download records and media' }).click()
    // A busy browser may cancel one. A person would start it again.
    const path = await (await download).path().catch(() => undefined)
    if (path !== undefined) return path
  }
}

async function enterKey(page: Page, identifier: string, secret: string): Promise<void> {
  await page.getByLabel('Handle or DID').fill(identifier)
  await page.getByLabel('Secret key').fill(secret)
  await page.keyboard.press('Enter')
}

async function expectAccessible(page: Page): Promise<void> {
  expect(await findings(page)).toEqual([])
  expect(await overflow(page)).toBe(0)
}

test('an account is recovered with the key of its kit and the archive of its data; the key leaves the page in no request', async () => {
  const { secret, ...alice } = await holder('alice')
  const { did } = alice
  const archive = await archiveOf(alice)

  const page = await world.visitor('/', { width: 420 })
  const sent: string[] = []
  page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`))
  await heading(page, 'Create the first account').waitFor()
  await page.getByRole('link', { name: 'Recover an account with its recovery key' }).click()
  await heading(page, 'Recover your account').waitFor()
  await expectAccessible(page)
  await page.route('**/rotation-key-*.js', (route) => route.abort())
  await enterKey(page, did, secret.slice(0, -1))
  await page.getByText('A part of this page could not be loaded.').waitFor()
  await page.unroute('**/rotation-key-*.js')
  await page.reload()
  await enterKey(page, did, secret.slice(0, -1))
  await page.getByText('a character is wrong or missing').waitFor()
  await enterKey(page, did, 'did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv')
  await page.getByText('This is the public key.').waitFor()
  await enterKey(page, did, secret.match(/.{1,4}/g)?.join(' ') ?? '')

  await heading(page, 'Your identity was found').waitFor()
  await page.getByText('alice.other.test').first().waitFor()
  await page.getByText('Your key is the strongest one').waitFor()
  await page.getByText('alice.test is available').waitFor()
  await expectAccessible(page)
  await page.getByLabel('New password for this server').fill('a new password')
  await page.keyboard.press('Enter')

  await heading(page, 'Bring your records').waitFor()
  await page.getByLabel('Archive of the account').setInputFiles(archive)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Move the identity here' }).click()
  await page.getByText('Your account lives here now').waitFor()
  await heading(page, 'Home').waitFor()
  const status = await world.server.get(
    'com.core.server.checkAccountStatus',
    {},
    await signedIn('alice.test'),
  )
  expect(status.body).toMatchObject({ activated: true, validDid: true, indexedRecords: 1, importedBlobs: 1 })
  expect(directory.last(did)?.alsoKnownAs).toEqual(['at://alice.test'])
  expect(sent.length).toBeGreaterThan(0)
  expect(sent.join('\n').replaceAll(/[\s+]|%20/g, '')).not.toContain(secret.slice(4, -4))
})

const signedIn = async (handle: string) =>
  (await world.server.signIn({ handle, password: 'a new password' })).body

test('without an archive the account starts empty, after a reload, and errors say what to do', async () => {
  const [bob, carol] = [await holder('bob'), await holder('carol')]
  const page = await world.visitor('/sign-in', { colorScheme: 'dark' })
  await page.getByRole('link', { name: 'Recover an account with its recovery key' }).click()
  await enterKey(page, 'no handle', bob.secret)
  await page.getByText('Enter a handle, such as alice.example').waitFor()
  await enterKey(page, 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa', bob.secret)
  await page.getByText('The directory does not have this identity').waitFor()
  await enterKey(page, carol.did, bob.secret)
  await page.getByText('This key does not control the identity').waitFor()
  directory.mode = 'down'
  await enterKey(page, bob.did, bob.secret)
  await page.getByText('The directory of identities cannot be reached').waitFor()
  directory.mode = 'up'
  await enterKey(page, bob.did, bob.secret)
  await page.getByText('bob.test is available').waitFor()
  await page.getByLabel('New password for this server').fill('a new password')
  await page.keyboard.press('Enter')

  await heading(page, 'Bring your records').waitFor()
  await page.goto(`${world.url}/#/`)
  await page.getByRole('link', { name: 'Bring its records' }).click()
  await page.getByLabel('Archive of the account').setInputFiles({
    ...{ name: 'wrong.zip', mimeType: 'application/zip', buffer: Buffer.from('PK, but no archive') },
  })
  await page.getByRole('button', { name: 'Move the identity here' }).click()
  await page.getByText('This is not an archive of an account').waitFor()
  await page.getByRole('switch', { name: 'I have no archive' }).click()
  await page.getByText('The account starts empty').waitFor()
  await expectAccessible(page)
  directory.refused.add(bob.did)
  await page.getByRole('button', { name: 'Move the identity here' }).click()
  await page.getByText('The directory did not take the change').waitFor()
  directory.refused.delete(bob.did)
  await page.getByRole('button', { name: 'Move the identity here' }).click()
  await heading(page, 'Home').waitFor()
  expect(directory.last(bob.did)?.alsoKnownAs).toEqual(['at://bob.test'])
})
