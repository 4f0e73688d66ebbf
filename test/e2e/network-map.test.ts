/** The drawing of what leaves this computer, on the Network screen of an ordinary server. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findingsInBothSchemes, focused, overflowAt } from '../support/page/accessibility.ts'
import { owner, setupOrdinaryWorld, world } from '../support/server/setup-ordinary-world.ts'
import { heading } from '../support/server/world.ts'
import { StubService } from '../support/services/stub-service.ts'

let relay: StubService
let mail: StubService
beforeAll(async () => {
  relay = await StubService.start()
  mail = await StubService.start()
})
afterAll(() => Promise.all([relay.close(), mail.close()]))

const folder = 'webdav+http://me:secret@127.0.0.1:9/copies'
setupOrdinaryWorld({
  config: () => ({
    publicUrl: 'https://pds.example.com',
    relays: [relay.url, 'https://relay.example.com'],
    smtpUrl: `smtp://${new URL(mail.url).host}`,
    copies: [folder],
  }),
  accounts: ['alice'],
})

test('each connection has a line and a link to where it is seen and changed, by mouse and keyboard', async () => {
  const page = await world.signedIn(owner, '/network')
  const drawing = page.getByRole('img', { name: /^This computer is connected with: / })
  expect(await drawing.getAttribute('aria-label')).toMatch(/: Relays, Continuous copies,? and Email\.$/)
  expect(await drawing.locator('path').count()).toBe(3)
  const connections = page.getByRole('list', { name: 'Connections' }).getByRole('link')
  const { host } = new URL(relay.url)
  expect(await connections.allInnerTexts()).toEqual([
    `Relays\n${host} and 1 more`,
    'Continuous copies\n127.0.0.1:9',
    `Email\n${new URL(mail.url).host}`,
  ])
  expect(await findingsInBothSchemes(page)).toEqual([])
  expect(await overflowAt(page, [320, 1920])).toEqual([0, 0])

  await connections.filter({ hasText: 'Relays' }).focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => focused(page)).toBe('Relays')
  await page.getByText('All 15 reasons').click()
  const reasons = page.getByRole('list', { name: 'Outgoing requests' }).getByRole('listitem')
  await reasons.filter({ hasText: 'Email' }).getByText('On', { exact: true }).waitFor()
  expect(await reasons.count()).toBe(15)
  await connections.filter({ hasText: 'Email' }).click()
  await heading(page, 'Server').waitFor()
  await page.goBack()
  await connections.filter({ hasText: 'Continuous copies' }).click()
  await heading(page, 'Backups').waitFor()
  await expect.poll(() => focused(page)).toBe('Where your data is kept')
})

test('a sentence takes the place of the drawing if nothing is on', async () => {
  const page = await world.signedIn(owner, '/backups')
  await page.route('**/xrpc/com.core.admin.getNetwork', async (route) => {
    const answer = await route.fetch()
    const body = await answer.json()
    const outgoing = body.outgoing.map((one: object) => ({ ...one, state: 'off' }))
    await route.fulfill({ response: answer, json: { ...body, outgoing } })
  })
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Network' }).click()
  await page.getByText('Nothing leaves this computer').waitFor()
  expect(await page.getByRole('list', { name: 'Connections' }).count()).toBe(0)
  await page.getByText('All 15 reasons').waitFor()
  expect(await findingsInBothSchemes(page)).toEqual([])
})
