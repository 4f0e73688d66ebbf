/** Home: whether all is well, and the first steps. */
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { P256Keypair } from '@atproto/crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findingsInBothSchemes, overflowAt, unfold } from '../support/page/accessibility.ts'
import type { Page } from '../support/page/browser.ts'
import { blobOf } from '../support/records/blobs.ts'
import { noise } from '../support/records/pictures.ts'
import { day } from '../support/server/clock.ts'
import type { Account } from '../support/server/server.ts'
import {
  owner as alice,
  other as bob,
  setupOrdinaryWorld,
  social,
  world,
} from '../support/server/setup-ordinary-world.ts'
import { heading } from '../support/server/world.ts'

const tiles = (page: Page) => page.getByRole('list', { name: 'State of the server' }).getByRole('listitem')
const tile = (page: Page, name: string) => tiles(page).filter({ hasText: name })
const steps = (page: Page) =>
  page
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: /^(First steps|Needs you again)$/ }) })

/** Makes the server of a page respond with other members. */
function serve(page: Page, method: string, members: object): Promise<unknown> {
  return page.route(`**/${method}*`, async (route) => {
    const response = await route.fetch()
    return route.fulfill({ response, json: { ...(await response.json()), ...members } })
  })
}

describe('a server of this computer', () => {
  setupOrdinaryWorld({ config: { publicUrl: undefined }, accounts: ['alice', 'bob'] })

  test('the row of state: a new server, as its owner sees it', async () => {
    const page = await world.signedIn(alice)
    await tile(page, 'Who can connect').getByRole('link', { name: 'This computer only' }).waitFor()
    await tile(page, 'Copy elsewhere').getByText('No copy outside this computer').waitFor()
    await tile(page, 'Clients').getByRole('link', { name: 'No client yet' }).waitFor()
    await tile(page, 'People').getByRole('link', { name: '2 accounts' }).waitFor()
    await tile(page, 'People').getByText('You follow no one yet').waitFor()
    expect(await tiles(page).count()).toBe(4)
    for (const [name, link, title] of [
      ['Who can connect', 'This computer only', 'Network'],
      ['Copy elsewhere', 'Make a copy', 'Backups'],
      ['Clients', 'No client yet', 'Apps and sessions'],
      ['People', '2 accounts', 'People'],
    ] as const) {
      await tile(page, name).getByRole('link', { name: link }).click()
      await heading(page, title).waitFor()
      await page.goBack()
    }
  })

  test('the row of state: other accounts see what they may know, and no error', async () => {
    await social.follow(bob, alice)
    const page = await world.signedIn(bob)
    await tile(page, 'Server').getByText(new URL(world.url).host).waitFor()
    await tile(page, 'Copy elsewhere').getByRole('link', { name: 'Download your data' }).waitFor()
    await tile(page, 'People').getByRole('link', { name: 'You follow 1 person' }).waitFor()
    await tile(page, 'People').getByText('0 followers').waitFor()
    await steps(page).getByText('0 of 3 done').waitFor()
    expect(await page.getByText('Not available').count()).toBe(0)
  })

  test('the row of state: each fact fails alone, and is read again', async () => {
    const page = await world.signedIn(alice, '/apps')
    await page.route('**/*getNetwork*', (route) => route.fulfill({ status: 400, json: { error: 'Broken' } }))
    await page.goto(`${world.url}/#/`)
    await tile(page, 'People').getByText('2 accounts').waitFor()
    const network = tile(page, 'Who can connect')
    await network.getByText('Not available').waitFor()
    await page.unroute('**/*getNetwork*')
    await network.getByRole('button', { name: 'Try again' }).click()
    await network.getByText('This computer only').waitFor()
  })

  test('the row of state: a public server, a local network, and a computer without one', async () => {
    const page = await world.signedIn(alice, '/apps')
    for (const [members, shown] of [
      [{ way: 'public', publicUrl: 'https://pds.example.com' }, ['Everyone', 'pds.example.com']],
      [
        { way: 'localNetwork', addresses: ['http://192.168.1.5:2583'] },
        ['Local network', '192.168.1.5:2583'],
      ],
      [{ way: 'localNetwork', addresses: [] }, ['Local network', 'This computer is in no network.']],
    ] as const) {
      await page.unroute('**/com.core.admin.getNetwork*')
      await serve(page, 'com.core.admin.getNetwork', members)
      await page.goto(`${world.url}/#/`)
      await page.reload()
      for (const text of shown) await tile(page, 'Who can connect').getByText(text).waitFor()
    }
  })

  test('the row of state: a client with its last use; the guide folds', async () => {
    const carol = await world.server.account('carol')
    const page = await world.signedIn(carol)
    const guide = page.getByText('No client has signed in yet.')
    await guide.waitFor()
    await steps(page).getByText('To do: A client').waitFor()
    await world.server.appSession(carol, 'Phone')
    await page.reload()
    const clients = tile(page, 'Clients')
    await clients.getByRole('link', { name: '1 client' }).waitFor()
    // The clock of the page is years behind that of the server.
    expect(await clients.locator('time').getAttribute('datetime')).toMatch(/^2030-/)
    expect(await clients.locator('time').textContent()).toBe('now')
    await clients.getByText('Phone (').waitFor()
    await steps(page).getByText('Done: A client').waitFor()
    await page.getByRole('heading', { name: 'Connect a client' }).waitFor()
    expect(await guide.isVisible()).toBe(false)

    const { sessions } = (await world.server.get('com.core.server.listSessions', {}, carol)).body
    const { id } = sessions.find(({ openedWith }: { openedWith: string }) => openedWith === 'appPassword')
    await world.server.post('com.core.server.revokeSession', { id }, carol)
    await page.reload()
    await clients.getByText('None signed in').waitFor()
    await clients.getByText('Phone').waitFor()
    await page.getByRole('heading', { name: 'Connect a client' }).click()
    await page.getByText('No client is signed in now.').waitFor()
  })

  test('the row of state: a deactivated account still sees it, without first steps', async () => {
    const dora = await world.server.account('dora')
    await world.server.post('com.core.server.deactivateAccount', {}, dora)
    const page = await world.signedIn(dora)
    await tile(page, 'Clients').getByText('No client yet').waitFor()
    expect(await steps(page).count()).toBe(0)
  })

  test('first steps: ticked by what the server has, hidden on request, and back when a step is undone', async () => {
    const eve = await world.server.account('eve')
    const key = (await P256Keypair.create()).did()
    const add = { key, password: eve.password }
    expect((await world.server.post('com.core.identity.addRecoveryKey', add, eve)).status).toBe(200)
    await addProfile(eve)
    const page = await world.signedIn(eve)
    await steps(page).getByText('2 of 3 done').waitFor()
    await steps(page).getByText('Done: Name and picture').waitFor()
    await steps(page).getByText('Done: A recovery key').waitFor()
    await steps(page).getByText('To do: A client').waitFor()
    await steps(page).getByRole('button', { name: 'Connect a client' }).click()
    expect(await page.evaluate('document.activeElement.innerText')).toBe('Connect a client')

    await page.getByRole('button', { name: 'Hide' }).click()
    await page.getByText('Hidden. The list comes back').waitFor()
    expect(await steps(page).count()).toBe(0)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Hide' }).click()
    await page.reload()
    await tile(page, 'Clients').getByText('No client yet').waitFor()
    expect(await steps(page).count()).toBe(0)

    const removed = await world.server.post('com.core.identity.removeRecoveryKey', add, eve)
    expect(removed.status).toBe(200)
    await page.reload()
    await page.getByRole('heading', { name: 'Needs you again' }).waitFor()
    expect(await steps(page).getByRole('listitem').count()).toBe(1)
    await steps(page).getByText('To do: A recovery key').waitFor()
  })

  test('first steps: what is stored in the browser may be damaged, or its storage full', async () => {
    const page = await world.signedIn(bob)
    for (const damaged of ['null', '{"did":5}', '[', JSON.stringify({ [bob.did]: 'client' })]) {
      await page.evaluate(`localStorage.setItem('pds.hiddenSteps', ${JSON.stringify(damaged)})`)
      await page.reload()
      await steps(page).waitFor()
    }
    await page.evaluate(`Storage.prototype.setItem = () => { throw new Error('full') }`)
    await page.getByRole('button', { name: 'Hide' }).click()
    await steps(page).waitFor({ state: 'detached' })
    await page.getByLabel('Language of the post').selectOption('de')
    expect(await page.getByLabel('Language of the post').inputValue()).toBe('de')
  })

  test('the address for a phone: as text and QR code, or what to do first', async () => {
    const page = await world.signedIn(alice)
    await page.getByText('Bluesky', { exact: true }).click()
    const choose = (device: string) => page.getByText(device, { exact: true }).click()
    await page.getByRole('main').getByText(world.url, { exact: true }).waitFor()
    await choose('On my phone')
    await page.getByText('Only programs on this computer can connect.').waitFor()
    await serve(page, 'com.core.admin.getNetwork', {
      way: 'localNetwork',
      addresses: ['http://192.168.1.5:2583', 'http://10.0.0.5:2583'],
    })
    await page.reload()
    await page.getByText('Bluesky', { exact: true }).click()
    await choose('On my phone')
    await page.getByRole('img', { name: 'QR code of http://192.168.1.5:2583' }).waitFor()
    await page.getByText('Other addresses of this computer').click()
    await page.getByText('http://10.0.0.5:2583').waitFor()
    await unfold(page)
    expect(await findingsInBothSchemes(page)).toEqual([])
    expect(await overflowAt(page, [400, 320])).toEqual([0, 0])
    // Other accounts may not read the addresses.
    const bobs = await world.signedIn(bob)
    await bobs.getByText('Bluesky', { exact: true }).click()
    await bobs.getByRole('main').getByText(world.url, { exact: true }).waitFor()
    expect(await bobs.getByText('On my phone', { exact: true }).count()).toBe(0)
  })

  test('the birth date is asked for with the client that needs it', async () => {
    const fay = await world.server.account('fay')
    const page = await world.signedIn(fay)
    await page.getByText('Bluesky', { exact: true }).click()
    await page.getByText('This app asks for your age.').waitFor()
    await page.getByRole('button', { name: 'Add date' }).click()
    await page.getByLabel('Birth date').fill('1990-02-03')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('This app asks for your age.').waitFor({ state: 'detached' })
  })

  test('names: display names come first, handles second', async () => {
    const gil = await world.server.account('gil')
    await addProfile(gil, 'Gil \u202eOkafor')
    const page = await world.signedIn(gil)
    await page.getByRole('button', { name: 'Account menu, Gil Okafor gil.test' }).click()
    await page.getByRole('menuitemradio', { name: 'Gil Okafor gil.test' }).waitFor()
    const owners = await world.signedIn(alice, '/accounts')
    const row = owners.getByRole('listitem').filter({ hasText: 'Gil Okafor' })
    await row.getByText('gil.test ·').waitFor()
  })
})

async function addProfile(account: Account, displayName = 'Eve'): Promise<void> {
  const avatar = await blobOf(world.server, account, noise(8, 8))
  await social.put(account, 'app.example.actor.profile', 'self', { displayName, avatar })
}

describe('a server with a copy elsewhere', () => {
  let root: string
  const place = () => join(root, 'place')
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'pds-home-'))
    await mkdir(place())
  })
  afterAll(() => rm(root, { recursive: true }))
  setupOrdinaryWorld({ config: () => ({ copies: [pathToFileURL(place()).href] }), accounts: ['alice'] })

  test('the copy is up to date; when it is older than a week, the row and the hidden list say so', async () => {
    const page = await world.signedIn(alice)
    const copy = tile(page, 'Copy elsewhere')
    await expect
      .poll(async () => {
        await page.reload()
        return copy.getByText('Up to date').count()
      })
      .toBe(1)
    await copy.getByText(/^Copied /).waitFor()
    await steps(page).getByText('Done: A copy outside this computer').waitFor()
    await page.getByRole('button', { name: 'Hide' }).click()

    await rename(place(), join(root, 'disconnected'))
    await social.post(alice)
    await world.server.elapse(8 * day)
    await page.reload()
    await page.getByRole('heading', { name: 'Needs you again' }).waitFor()
    await steps(page).getByText('To do: A copy outside this computer').waitFor()
    expect(await copy.getAttribute('data-tone')).toBe('warn')
    await copy.getByText(/^Copied /).waitFor()
  })
})
