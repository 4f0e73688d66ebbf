/** Bringing an account from another server, and moving it away, in the browser: between ordinary servers that lose files and answers. */
import { rm } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blobPath, blobsName } from '../../server/store/files/layout.ts'
import { findByDid } from '../../server/store/tables/accounts.ts'
import { signServiceJwt } from '../support/accounts/jwt.ts'
import { createPlcIdentity, nextOperation, PlcDirectory } from '../support/accounts/plc.ts'
import { FaultyProxy } from '../support/network/faulty-proxy.ts'
import { findings, overflow } from '../support/page/accessibility.ts'
import type { Page } from '../support/page/browser.ts'
import { blobOf, png } from '../support/records/blobs.ts'
import { day } from '../support/server/clock.ts'
import { sweep } from '../support/server/maintenance.ts'
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

async function filled(at: TestServer, name: string, domain: string): Promise<Account> {
  const account = await at.account(name, { handle: name + domain })
  const blob = await blobOf(at, account, png(name))
  const record = { repo: account.did, collection: 'com.example.note', record: { blob } }
  expect((await at.post('com.core.repo.createRecord', record, account)).status).toBe(200)
  await at.running.services.identity.plc.publish(account.did)
  return account
}

const hostOf = (server: TestServer) => new URL(server.running.services.origin).host

async function expectAccessible(page: Page): Promise<void> {
  expect(await findings(page)).toEqual([])
  expect(await overflow(page)).toBe(0)
}

test('first run: an account is brought from another server, and the move is resumed in another window', async () => {
  const account = await filled(other, 'alice', '.other.test')
  const page = await world.visitor('/', { width: 420 })
  await heading(page, 'Create the first account').waitFor()
  await page.getByRole('link', { name: 'Bring an account from another server' }).click()
  await heading(page, 'Bring your account here').waitFor()
  await page.getByLabel('Your handle').fill('alice')
  await page.keyboard.press('Enter')
  await page.getByText('Enter a handle, such as alice.example').waitFor()
  await page.getByLabel('Your handle').fill('alice.other.test')
  await page.getByLabel('Address of your server').fill(other.running.services.origin)
  await page.keyboard.press('Enter')

  await heading(page, `Sign in at ${hostOf(other)}`).waitFor()
  await page.getByLabel(`Password at ${hostOf(other)}`).fill('wrong')
  await page.getByText('alice.test is available').waitFor()
  await page.getByLabel('New password for this server').fill('a new password')
  expect(await overflow(page)).toBe(0)
  await page.keyboard.press('Enter')
  await page.getByText('Invalid identifier or password').waitFor()
  await page.getByLabel(`Password at ${hostOf(other)}`).fill(account.password)
  await page.keyboard.press('Enter')
  await heading(page, 'Your account moves here').waitFor()
  await page.getByText('1 of 1 file').waitFor()

  const again = await world.visitor('/sign-in')
  await again.getByLabel('Handle or email').fill('alice.test')
  await again.getByLabel('Password', { exact: true }).fill('a new password')
  await again.keyboard.press('Enter')
  await heading(again, 'Your account moves here').waitFor()
  await again.getByLabel('Code').fill('AAAAA-AAAAA')
  await again.keyboard.press('Enter')
  await again.getByText('This code is wrong').waitFor()
  await expectAccessible(again)
  await again.getByLabel('Code').fill(await other.codeTo(account.email))
  await again.keyboard.press('Enter')
  await heading(again, 'Your account lives here now').waitFor()
  await again.getByRole('link', { name: 'Go to Home' }).click()
  await heading(again, 'Home').waitFor()
})

test('move out: from the account screen to the end, after a cancelled attempt', async () => {
  const account = await filled(world.server, 'leaver', '.test')
  const page = await world.signedIn(account, '/account', { colorScheme: 'dark' })
  const start = async () => {
    await page.getByRole('link', { name: 'Move', exact: true }).click()
    await heading(page, 'Move to another server').waitFor()
    await page.getByText('1 record, 1 file').waitFor()
    await page.getByLabel('New server').fill(other.running.services.origin)
    await page.keyboard.press('Enter')
    await page.getByLabel(`New password for ${hostOf(other)}`).fill('a new password')
    expect(await page.getByLabel('Handle there').inputValue()).toBe('leaver.other.test')
    await page.getByRole('button', { name: 'Start the move' }).click()
    await heading(page, `Your account moves to ${hostOf(other)}`).waitFor()
    await page.getByLabel('Your password').waitFor()
  }
  await start()
  await page.getByRole('button', { name: 'Cancel the move' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the move' }).click()
  await page.getByText('The move was cancelled').waitFor()

  await page.goto(`${world.url}/#/account`)
  await start()
  await page.getByLabel('Your password').fill(account.password)
  await page.getByRole('button', { name: 'Confirm the move' }).click()
  await heading(page, `Your account lives at ${hostOf(other)} now`).waitFor()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Go to Home' }).click()
  await page.getByText(`This account has moved to ${hostOf(other)}.`).waitFor()
  const there = await other.signIn({ handle: 'leaver.other.test', password: 'a new password' })
  expect(there.body).toMatchObject({ did: account.did, active: true })
})

test('move out: missing files are listed before the code, and nothing can be written after it', async () => {
  const proxy = await FaultyProxy.start()
  const distant = await TestServer.start({
    ...{ plcUrl: directory.url, allowPrivateTargets: true },
    ...{ publicUrl: proxy.url, userDomains: ['.distant.test'] },
  })
  proxy.target = distant.url
  const account = await filled(world.server, 'lossy', '.test')
  const { cids } = (await world.server.get('com.core.sync.listBlobs', { did: account.did })).body
  await rm(blobPath(join(world.server.config.dataDir, blobsName), cids[0]))
  const page = await world.signedIn(account, '/move', { width: 420, colorScheme: 'dark' })
  await page.getByLabel('New server').fill(proxy.url)
  await page.keyboard.press('Enter')
  await page.getByLabel('New password for').fill('a new password')
  await page.getByRole('button', { name: 'Start the move' }).click()
  await page.getByRole('heading', { name: 'Some files cannot be copied' }).waitFor()
  const files = page.getByRole('list', { name: 'Missing files' })
  await files.getByText('image/png · 200 bytes · not at the old server').waitFor()
  expect(await files.getByRole('link', { name: 'com.example.note' }).getAttribute('href')).toBe(
    '#/data/com.example.note',
  )
  await expectAccessible(page)
  const answered = page.waitForResponse('**/com.core.move.continueMove')
  await page.getByRole('button', { name: 'Try again' }).click()
  await answered
  await world.server.running.services.background.idle()
  await page.getByRole('button', { name: 'Move without these files' }).click()
  await page.getByLabel('Your password').waitFor()

  const unavailable = (res: ServerResponse) => res.writeHead(503).end()
  proxy.replacements.set('com.atproto.server.activateAccount', unavailable)
  await page.getByLabel('Your password').fill(account.password)
  await page.getByRole('button', { name: 'Confirm the move' }).click()
  await page.getByText('This step failed').waitFor()
  await page.getByText('Nothing can be changed here until the move has ended.').waitFor()
  const other = await world.signedIn(account, '/account')
  await other.getByText('Nothing can be changed here until the move has ended.').waitFor()
  await expectAccessible(other)
  await other.getByRole('link', { name: 'Show the move' }).click()
  proxy.replacements.clear()
  await other.getByRole('button', { name: 'Try again' }).click()
  await heading(other, `Your account lives at ${new URL(proxy.url).host} now`).waitFor()
  await other.getByText('1 file could not be copied.').waitFor()
  await distant.close()
  await proxy.close()
})

test('an imported account says when it is deleted or why it is kept, to its holder and to the owner', async () => {
  const { server } = world
  const { services } = server.running
  const owner = { handle: 'alice.test', password: 'a new password' }
  const identity = await createPlcIdentity('newcomer.old.example')
  await directory.submit(identity.did, identity.genesis)
  const iat = Math.floor(server.clock.now().getTime() / 1000)
  const lxm = 'com.core.server.createAccount'
  const claims = { iss: identity.did, aud: services.serverDid, lxm, iat, exp: iat + 60, jti: 'newcomer' }
  const newcomer = { did: identity.did, handle: 'newcomer.test', password: 'a good password' }
  const created = await server.post(lxm, newcomer, await signServiceJwt(identity.key, claims))
  expect(created.status).toBe(200)

  const page = await world.signedIn(newcomer, '/account')
  await page.getByText(/It will be deleted on .*, in \d+ years?, unless you activate it\./).waitFor()
  const accounts = await world.signedIn(owner, '/accounts', { colorScheme: 'dark' })
  const row = accounts.getByRole('listitem').filter({ hasText: 'newcomer.test' })
  await row.getByText('Not activated').waitFor()
  await row.getByText(/deleted on .*, in \d+ years?, unless activated/).waitFor()

  const key = findByDid(services.store, identity.did)?.signingKeyDid ?? ''
  const here = await nextOperation(identity.rotationKey, identity.genesis, {
    rotationKeys: [services.identity.secrets.rotationKey.did],
    verificationMethods: { atproto: key },
    services: { atproto_pds: { type: 'AtprotoPersonalDataServer', endpoint: services.origin } },
  })
  await directory.submit(identity.did, here)
  server.clock.advance(3 * day)
  await sweep(services)
  const kept = await world.signedIn(newcomer)
  await kept.getByText('It is kept, because its DID names this server.').waitFor()
  const listed = await world.signedIn(owner, '/accounts')
  const again = listed.getByRole('listitem').filter({ hasText: 'newcomer.test' })
  await again.getByText('kept: its DID names this server').waitFor()
  await expectAccessible(listed)
  await listed.getByRole('button', { name: 'Actions for newcomer.test' }).click()
  await listed.getByRole('menuitem', { name: 'Activate' }).click()
  await listed.getByText('newcomer.test was activated').waitFor()
  await again.getByText('Not activated').waitFor({ state: 'detached' })
  expect((await server.signIn(newcomer)).body).toMatchObject({ active: true })
})
