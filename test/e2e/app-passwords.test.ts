import type { Page } from 'playwright'
import { expect, test } from 'vitest'
import { owner as alice, setupWorld, world } from '../support/server/setup-world.ts'

setupWorld({ accounts: ['alice'] })

const passwords = (page: Page) => page.getByRole('list', { name: 'App passwords' })

test('app passwords: one is created, shown once, used by a client and revoked', async () => {
  const page = await world.signedIn(alice, '/apps')
  await page.getByText('No app passwords yet').waitFor()
  await page.getByRole('button', { name: 'New app password' }).click()
  const name = page.getByLabel('Name')
  expect(await name.inputValue()).toBe('Phone')
  await name.fill('My phone')
  await page.getByRole('button', { name: 'Create' }).click()

  await page.getByRole('button', { name: 'Copy' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  const password = await page.evaluate('navigator.clipboard.readText()')
  expect(password).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'I saved it' }).click()
  expect(await page.getByText(String(password)).count()).toBe(0)

  const client = await world.server.post('com.core.server.createSession', { identifier: alice.did, password })
  expect(client.status).toBe(200)

  await page.reload()
  await passwords(page).getByText('last used').waitFor()
  await page.getByRole('button', { name: 'Revoke My phone' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('My phone revoked').waitFor()
  await page.getByText('No app passwords yet').waitFor()
  const refused = await world.server.get('com.core.server.getSession', {}, client.body)
  expect(refused.body.error).toBe('ExpiredToken')
})

test('app passwords: a name in use shows an error', async () => {
  await world.server.post('com.core.server.createAppPassword', { name: 'Phone' }, alice)
  const page = await world.signedIn(alice, '/apps')
  await passwords(page)
    .getByRole('listitem')
    .filter({ hasText: /^Phone/ })
    .waitFor()
  await page.getByRole('button', { name: 'New app password' }).click()
  const name = page.getByLabel('Name')
  expect(await name.inputValue()).toBe('Laptop')
  await name.fill('Phone')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByText('An app password with this name exists already. Choose another name.').waitFor()
})

test('app passwords: a privileged one has a badge, and says that it can chat and move', async () => {
  const page = await world.signedIn(alice, '/apps')
  await page.getByRole('button', { name: 'New app password' }).click()
  await page.getByLabel('Name').fill('Mover')
  await page.getByRole('switch').check()
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('button', { name: 'I saved it' }).click()
  const row = page.getByRole('listitem').filter({ hasText: 'Mover' })
  await row.getByText('Privileged').waitFor()
  await row.getByText('also chats, and move the account').waitFor()
})

test('app passwords: a limited one says what it can do, and the screen what it did', async () => {
  const page = await world.signedIn(alice, '/apps')
  await page.getByRole('button', { name: 'New app password' }).click()
  await page.getByLabel('Name').fill('Poster')
  await page.getByLabel('May').selectOption('Read, and write posts')
  await page.getByRole('button', { name: 'Create' }).click()
  const secret = await page.getByRole('status', { name: 'App password' }).textContent()
  await page.getByRole('button', { name: 'I saved it' }).click()
  const row = passwords(page)
    .getByRole('listitem')
    .filter({ hasText: /^Poster/ })
  await row.getByText('It can read, and write posts with their media.').waitFor()
  const { body } = await world.server.signIn({ ...alice, password: secret ?? '' })
  const post = { text: 'One', createdAt: '2030-01-01T00:00:00Z' }
  const input = { repo: alice.did, collection: 'app.bsky.feed.post', record: post }
  for (let count = 0; count < 2; count++) {
    expect((await world.server.post('com.atproto.repo.createRecord', input, body)).status).toBe(200)
  }
  await page.reload()
  await world.server.get('com.atproto.server.getSession', {}, body)
  await world.server.post(
    'com.atproto.repo.createRecord',
    { ...input, collection: 'app.bsky.feed.like' },
    body,
  )
  await page.reload()
  const summary = row.getByText(/^1 read, 2 changes,? and 1 refused in 90 days$/)
  await summary.waitFor()
  // Only what is open is in the document: a hundred app passwords would have 45,000 cells.
  const parts = row.locator('svg[role=img], table')
  expect(await parts.count()).toBe(0)
  await summary.click()
  await row.getByRole('img', { name: /^Changes on each of the last 90 days: at most 2, on / }).waitFor()
  await row.getByText('Show as table').click()
  const cells = row.getByRole('table').getByRole('cell')
  expect(await cells.allTextContents()).toEqual(['1', '2', '1'])
  await summary.click()
  await expect.poll(() => parts.count()).toBe(0)
})
