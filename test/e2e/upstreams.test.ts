/**
 * Two servers, of which the one with the browser follows the other: the Network screen, and people of the other server in all screens.
 * They are ordinary servers: those of a network for tests follow each other from the start.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findings, focused, overflow } from '../support/page/accessibility.ts'
import type { Page } from '../support/page/browser.ts'
import { likesOf } from '../support/remote/remote-views.ts'
import { type Account, adminAuth, TestServer } from '../support/server/server.ts'
import { setupOrdinaryWorld, world } from '../support/server/setup-ordinary-world.ts'
import { body, mentions, type Ref, SocialServer } from '../support/server/social.ts'
import { until } from '../support/server/until.ts'
import { heading } from '../support/server/world.ts'

/** Nothing listens there. */
const dead = 'http://127.0.0.1:9'
let there: TestServer
let far: SocialServer
let alice: Account
let post: Ref
/** Accounts of the other server. */
let bob: Account
let carol: Account
let otherAlice: Account
/** Whom alice follows. */
let erin: Account
let address: string

beforeAll(async () => {
  there = await TestServer.start({ publicUrl: undefined })
})
afterAll(async () => {
  await there.close()
})
setupOrdinaryWorld({ config: { publicUrl: undefined, upstreams: [dead], backlinkIndexUrl: dead } })

beforeAll(async () => {
  address = new URL(there.url).host
  far = SocialServer.on(there)
  alice = await world.server.account('alice')
  post = await SocialServer.on(world.server).post(alice, { text: 'Three rows of beans' })
  bob = await there.account('bob')
  carol = await there.account('carol')
  otherAlice = await there.account('alice')
  erin = await there.account('erin')
  body(await world.server.post('com.core.admin.addUpstream', { url: there.url }, adminAuth))
  await SocialServer.on(world.server).follow(alice, erin)
  await until(world.server, async () => (await upstream())?.state === 'live')
})

/** The other server as the owner sees it. */
async function upstream(): Promise<{ state: string } | undefined> {
  const { upstreams } = body(await world.server.get('com.core.admin.listUpstreams', {}, adminAuth))
  return upstreams.find(({ url }: { url: string }) => url === there.url)
}

const rows = (page: Page) => page.getByRole('list', { name: 'Servers you follow' }).getByRole('listitem')

test('network: a server is added by its address, and problems say what to do', async () => {
  body(await world.server.post('com.core.admin.removeUpstream', { url: there.url }, adminAuth))
  const page = await world.signedIn(alice, '/network')
  const configured = rows(page).filter({ hasText: '127.0.0.1:9' })
  await configured.getByText('Set by PDS_UPSTREAMS').waitFor()
  await configured.getByText(/Waiting until/).waitFor()
  await configured.getByText('It does not accept connections.').waitFor()
  expect(await configured.getByRole('button', { name: 'Remove' }).count()).toBe(0)
  await page.getByRole('heading', { name: 'Activity index of the network' }).click()
  const service = page.getByRole('list', { name: 'Activity index of the network' }).getByRole('listitem')
  await service.getByText('0 links in the last hour').waitFor()
  const field = page.getByLabel('Address of a server')
  for (const [text, problem] of [
    ['not an address', 'This is not the address of a server'],
    ['127.0.0.1:10', '127.0.0.1:10 does not'],
    [new URL(world.server.url).host, 'is this server.'],
  ] as const) {
    await field.fill(text)
    await page.keyboard.press('Enter')
    await page.getByText(problem).waitFor()
    await field.and(page.locator('[aria-invalid]')).waitFor()
  }
  await field.fill(address)
  await page.keyboard.press('Enter')
  await page.getByText(`Following ${address}`).waitFor()
  const row = rows(page).filter({ hasText: address })
  await row.getByText('Live').waitFor()
  await page.getByText(/^All \d+ reasons$/).click()
  const outgoing = page.getByRole('list', { name: 'Outgoing requests' }).getByRole('listitem')
  await outgoing.filter({ hasText: 'Servers you follow' }).getByText(address).waitFor()
  expect(await findings(page)).toEqual([])
})

test('inbox: people elsewhere are shown with their server, and apart from people here', async () => {
  await far.follow(otherAlice, alice)
  await far.like(bob, post)
  const page = await world.signedIn(alice, '/notifications')
  const items = page.getByRole('main').getByRole('listitem')
  const like = items.filter({ hasText: 'bob.test liked your post' })
  await like.getByText(`On ${address}`).waitFor()
  await like.getByText('Three rows of beans').waitFor()
  const follow = items.filter({ hasText: 'followed you' })
  await follow.getByText(`alice.${address.replaceAll(/[.:]/g, '-')}.test`).waitFor()
  await follow.getByRole('link').click()
  await heading(page, 'Person').waitFor()
  await page.getByText(otherAlice.did).waitFor()
  expect(await findings(page)).toEqual([])
})

test('posts: text of another server stays text, and gaps of its threads are named', async () => {
  const name = '\u202Egpj.tset\u2066 <b>Bob</b>'
  await far.put(bob, 'app.example.actor.profile', 'self', { displayName: name })
  const hers = await far.post(carol, { text: 'Not sent here' })
  const link = { $type: 'app.example.richtext.facet#link', uri: 'javascript:window.executed=1' }
  const { facets } = mentions(alice) as { facets: object[] }
  await far.reply(bob, hers, hers, {
    text: 'See here <img src=x onerror="window.executed=1">',
    facets: [...facets, { index: { byteStart: 4, byteEnd: 8 }, features: [link] }],
  })
  const page = await world.signedIn(alice, '/notifications', { width: 320 })
  const item = page.getByRole('main').getByRole('listitem').filter({ hasText: 'mentioned you' })
  await item.getByRole('link').click()
  await page.getByText('This post is on another server and is not here.').waitFor()
  const text = page.getByRole('article').getByText('See here <img src=x')
  await text.waitFor()
  expect(await page.locator('[href^="javascript:"], article img[src="x"]').count()).toBe(0)
  expect(await page.evaluate('window.executed')).toBeUndefined()
  expect(await page.getByRole('main').innerText()).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/)
  expect(await overflow(page)).toBe(0)
})
test('people: someone elsewhere is found by handle, subscribed to and followed', async () => {
  const page = await world.signedIn(alice, '/subscriptions')
  const field = page.getByLabel('Handle or DID')
  await field.fill('dora.test')
  await page.keyboard.press('Enter')
  await page.getByText('This handle was not found.').waitFor()
  await field.fill('did:plc:aaaaaaaaaaaaaaaaaaaaaaaa')
  await page.keyboard.press('Enter')
  const list = page.getByRole('list', { name: 'Subscriptions' })
  await list.getByText('The server of this person is unknown.').waitFor()
  await field.fill('carol.test')
  await page.keyboard.press('Enter')
  await page.getByText('Subscribed to carol.test').waitFor()
  const row = list.getByRole('listitem').filter({ hasText: 'carol.test' })
  await row.getByText(`On ${address}`).waitFor()
  await row.getByRole('link', { name: 'carol.test' }).click()
  await page.getByRole('button', { name: 'Follow', exact: true }).click()
  await page.getByText('You follow carol.test').waitFor()
  await page.getByRole('button', { name: 'Unfollow' }).waitFor()
  await far.post(carol, { text: 'Sent here' })
  await page.goto(`${world.url}/#/notifications`)
  const items = page.getByRole('main').getByRole('listitem')
  await items.filter({ hasText: 'carol.test posted' }).getByText('Sent here').waitFor()
})

test('network: removal is confirmed and undone; people there are offered to be followed again', async () => {
  const page = await world.signedIn(alice, '/network', { colorScheme: 'dark', width: 320 })
  await rows(page).filter({ hasText: address }).getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByText('What has arrived stays.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText(`No longer following ${address}`).waitFor()
  const offer = page.getByRole('list', { name: 'People on servers that yours does not follow' })
  await offer.getByText('erin.test').waitFor()
  expect(await findings(page)).toEqual([])
  expect(await overflow(page)).toBe(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await rows(page).filter({ hasText: address }).getByText('Live').waitFor()
  await offer.waitFor({ state: 'detached' })
})

test('network: each state is said in words, and a server that was cut off can be tried at once', async () => {
  const page = await world.signedIn(alice, '/')
  const at = new Date().toISOString()
  const common = { isConfigured: false, addedAt: at, eventsLastHour: 1, storedLastHour: 0 }
  const upstreams = [
    { url: 'https://a.test', state: 'catchingUp', progress: { done: 12, total: 40 }, ...common },
    { url: 'https://b.test', state: 'cutOff', error: 'It sent forged commits.', retryAt: at, ...common },
    { url: 'https://c.test', state: 'connecting', ...common },
  ]
  await page.route('**/com.core.admin.listUpstreams', (route) => route.fulfill({ json: { upstreams } }))
  let remoteRecords: object = { records: 9, bytes: 95e6, limit: 100e6, isPurging: true }
  await page.route('**/com.core.admin.getNetwork', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), remoteRecords } })
  })
  await page.goto(`${world.url}/#/network`)
  await rows(page).filter({ hasText: 'a.test' }).getByText('Catching up: 12 of 40').waitFor()
  await rows(page).filter({ hasText: 'c.test' }).getByText('Connecting').waitFor()
  const cutOff = rows(page).filter({ hasText: 'b.test' })
  await cutOff.getByText(/It sent forged commits\. Next attempt at/).waitFor()
  const called = page.waitForRequest('**/com.core.admin.retryUpstream')
  await cutOff.getByRole('button', { name: 'Try now' }).click()
  expect((await called).postDataJSON()).toEqual({ url: 'https://b.test' })
  await page.getByText('This server does not follow that server.').waitFor()
  await page.getByText('95 MB of 100 MB used').waitFor()
  await page.getByText('Deleting: 9 records left').waitFor()
  await page.getByText('The limit is nearly reached.').waitFor()
  await page.getByRole('status').getByText('are being deleted').waitFor()
  remoteRecords = { records: 9, bytes: 99e6, limit: 100e6, isPurging: false, lastRefusedAt: at }
  await page.getByText('Read your notifications, or raise PDS_REMOTE_LIMIT.').waitFor()
  remoteRecords = { records: 0, bytes: 0, limit: 100e6, isPurging: false }
  await page.reload()
  await page.getByText('Nothing is kept yet.').waitFor()
  expect(await page.getByRole('button', { name: 'Delete records' }).count()).toBe(0)
})

test('network: records from other servers are deleted after a confirmation, by keyboard', async () => {
  const social = SocialServer.on(world.server)
  const likes = async () => likesOf(world.server, post.uri)
  body(await social.call('updateSeen', { seenAt: world.server.clock.now().toISOString() }, alice))
  await far.like(carol, post)
  // The like may be stored by the catch-up, before its event notifies.
  await until(world.server, async () => (await social.unread(alice)) > 0)
  // A catch-up that still runs would store its likes after the deletion.
  const { upstreams } = world.server.running.services.federation
  await expect
    .poll(() => upstreams.list().every(({ state }) => state !== 'catchingUp'), { timeout: 20_000 })
    .toBe(true)
  body(await social.call('updateSeen', { seenAt: world.server.clock.now().toISOString() }, alice))
  const page = await world.signedIn(alice, '/network', { colorScheme: 'dark', width: 320 })
  const button = page.getByRole('button', { name: 'Delete records' })
  await page.getByRole('meter', { name: 'Records from other servers' }).waitFor()
  await button.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('What stays: unread notifications').waitFor()
  expect([await findings(page), await overflow(page)]).toEqual([[], 0])
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  expect(await focused(page)).toBe('Delete records…')
  expect(await likes()).toBeGreaterThan(0)
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Delete records' }).press('Enter')
  await page.getByRole('status').getByText('Records from other servers are deleted.').waitFor()
  expect(await likes()).toBe(0)
})
