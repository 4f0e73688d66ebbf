/**
 * The screen “Requests”: the switch, the live list, filters, details, and code that sends a request again. On an ordinary server: a
 * network for tests always records.
 */
import { beforeEach, expect, test } from 'vitest'
import { findingsInBothSchemes, focused, overflowAt } from '../support/page/accessibility.ts'
import type { Page } from '../support/page/browser.ts'
import { adminAuth } from '../support/server/server.ts'
import { other as bob, owner, setupOrdinaryWorld, world } from '../support/server/setup-ordinary-world.ts'
import { heading } from '../support/server/world.ts'

setupOrdinaryWorld({ accounts: ['alice', 'bob'] })

const set = (input: object) => world.server.post('com.core.admin.setInspector', input, adminAuth)
beforeEach(async () => {
  await set({ on: false })
})

const rows = (page: Page) => page.getByRole('list', { name: 'Requests' }).getByRole('listitem')
const row = (page: Page, text: string) => rows(page).filter({ hasText: text })

async function opened(): Promise<Page> {
  await set({ on: true })
  const page = await world.signedIn(owner, '/requests')
  await heading(page, 'Requests').waitFor()
  // Without the sign-in of this page.
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByText('No requests yet').waitFor()
  return page
}

let phones = 0

/** Requests of several apps. */
async function use(): Promise<void> {
  const app = await world.server.appSession(bob, `Phone ${++phones}`)
  await world.server.get('app.example.feed.getTimeline', { limit: '10' }, app)
  await world.server.signIn({ handle: 'bob.test', password: 'a wrong password' })
}

test('requests: the owner turns recording on, sees requests arrive, and turns it off', async () => {
  const page = await world.signedIn(owner, '/requests')
  await page.getByText('Requests are not recorded').waitFor()
  await page.getByRole('switch', { name: 'Record requests' }).check()
  await page.getByText(/^On until/).waitFor()
  await world.server.get('com.core.server.describeServer')
  await row(page, 'com.core.server.describeServer').first().waitFor()
  await page.getByRole('switch', { name: 'Record requests' }).uncheck()
  await page.getByText('Requests are not recorded').waitFor()
  expect(await rows(page).count()).toBe(0)
})

test('requests: a row opens the details, without secrets', async () => {
  const page = await opened()
  await use()
  await row(page, 'createSession')
    .filter({ hasText: '401 AuthenticationRequired' })
    .getByRole('button')
    .click()
  const details = row(page, 'Error response')
  await details.getByText('"identifier": "bob.test"').waitFor()
  expect(await page.getByRole('main').innerText()).not.toContain('a wrong password')
  await details.getByText('"password": "…"').waitFor()
  await row(page, 'getTimeline').getByRole('button').click()
  await row(page, 'getTimeline').getByText('limit=10').waitFor()
  await row(page, 'getTimeline').getByText('app password', { exact: true }).waitFor()
  expect(await findingsInBothSchemes(page)).toEqual([])
  expect(await overflowAt(page, [1280, 768, 320])).toEqual([0, 0, 0])
})

test('requests: a request is copied as curl and as a test', async () => {
  const page = await opened()
  await use()
  const timeline = row(page, 'getTimeline')
  await timeline.getByRole('button').click()
  const copied = async (name: string) => {
    await timeline.getByRole('button', { name }).click()
    return String(await page.evaluate('navigator.clipboard.readText()'))
  }
  expect(await copied('Copy as curl')).toBe(
    `curl '${world.url}/xrpc/app.example.feed.getTimeline?limit=10' \\\n  -H "Authorization: Bearer $TOKEN"`,
  )
  expect(await copied('Copy as test')).toMatchInlineSnapshot(`
    "import { startNetwork } from 'desktop-pds/testing'
    import { expect, test } from 'vitest'

    test('app.example.feed.getTimeline answers 200', async () => {
      const network = await startNetwork()
      try {
        const alice = await network.accounts.create({ handle: 'alice' })
        const response = await fetch(network.url + '/xrpc/app.example.feed.getTimeline?limit=10', {
          headers: { authorization: 'Bearer ' + alice.session.accessJwt },
        })
        expect(response.status).toBe(200)
      } finally {
        await network.stop()
      }
    })
    "
  `)
  await timeline.getByRole('button').first().click()
  const refused = row(page, '401 AuthenticationRequired')
  await refused.getByRole('button').click()
  await refused.getByRole('button', { name: 'Copy as test' }).click()
  expect(await page.evaluate('navigator.clipboard.readText()')).toMatchInlineSnapshot(`
    "import { startNetwork } from 'desktop-pds/testing'
    import { expect, test } from 'vitest'

    test('com.core.server.createSession answers AuthenticationRequired', async () => {
      // Replace each … by a value: it was a secret, or too long.
      const network = await startNetwork()
      try {
        const response = await fetch(network.url + '/xrpc/com.core.server.createSession', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({"identifier":"bob.test","password":"…"}),
        })
        expect(response.status).toBe(401)
        expect(await response.json()).toMatchObject({ error: 'AuthenticationRequired' })
      } finally {
        await network.stop()
      }
    })
    "
  `)
})

test('requests: filters by method, account, app and status', async () => {
  const page = await opened()
  await use()
  await row(page, '401 AuthenticationRequired').waitFor()
  await page.getByLabel('Method').fill('gettimeline')
  await expect.poll(() => rows(page).count()).toBe(1)
  await page.getByLabel('Method').fill('')
  await page.getByLabel('App').selectOption(`Phone ${phones}`)
  await expect.poll(() => rows(page).count()).toBe(1)
  await page.getByLabel('App').selectOption('All clients')
  await page.getByLabel('Account').selectOption('bob.test')
  await row(page, 'createAppPassword').waitFor()
  expect(await row(page, 'createSession').count()).toBe(0)
  await page.getByText('Server errors').click()
  await page.getByText('No matching requests').waitFor()
  await page.getByLabel('Account').selectOption('All')
  await page.getByText('Refused', { exact: true }).click()
  await row(page, '401 AuthenticationRequired').waitFor()
  await expect.poll(() => rows(page).count()).toBe(1)
})

test('requests: a paused list stays as it is, and clear empties it', async () => {
  const page = await opened()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('status').getByText('Paused').waitFor()
  await world.server.get('com.core.server.describeServer')
  await page.waitForTimeout(2000)
  expect(await rows(page).count()).toBe(0)
  await page.getByRole('button', { name: 'Resume' }).click()
  await row(page, 'describeServer').waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByText('Requests deleted').first().waitFor()
  await page.getByText('No requests yet').waitFor()
})

test('requests: the page asks for nothing while it is hidden', async () => {
  const page = await opened()
  let calls = 0
  page.on('request', (request) => {
    if (request.url().includes('listRequests')) calls++
  })
  await expect.poll(() => calls).toBeGreaterThan(1)
  await page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { value: 'hidden' })
    document.dispatchEvent(new Event('visibilitychange'))`)
  await page.waitForTimeout(500)
  const before = calls
  await page.waitForTimeout(3500)
  expect(calls).toBe(before)
})

test('keyboard: rows open and close by Enter, and new requests leave the focus where it is', async () => {
  const page = await opened()
  await use()
  const button = row(page, 'getTimeline').getByRole('button').first()
  await button.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Copy as curl' }).waitFor()
  expect(await button.getAttribute('aria-expanded')).toBe('true')
  await world.server.get('com.core.server.describeServer')
  await row(page, 'describeServer').waitFor()
  expect(await focused(page)).toContain('getTimeline')
  await page.keyboard.press('Enter')
  expect(await button.getAttribute('aria-expanded')).toBe('false')
})

test('requests: the tab is for the owner alone', async () => {
  const page = await world.signedIn(bob, '/settings')
  await heading(page, 'Settings').waitFor()
  expect(await page.getByRole('link', { name: 'Requests' }).count()).toBe(0)
})
