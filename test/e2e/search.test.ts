/** The search for posts and people. */
import { expect, test } from 'vitest'
import { findingsInBothSchemes, overflowAt } from '../support/page/accessibility.ts'
import type { Page } from '../support/page/browser.ts'
import { owner as alice, other as bob, setupWorld, social, world } from '../support/server/setup-world.ts'

setupWorld({
  accounts: ['alice', 'bob'],
  begin: async () => {
    await social.post(bob, { text: 'Garden beans 100% up/running' })
    await social.post(bob, { text: 'Bread with rye' })
  },
})

async function search(page: Page, words: string): Promise<void> {
  await page.getByLabel('Search for').fill(words)
  await page.keyboard.press('Enter')
}

test('posts: words find them, and the browser leads back to earlier words', async () => {
  const page = await world.signedIn(alice)
  await page.getByRole('link', { name: 'Search', exact: true }).click()
  await page.getByLabel('Search for').and(page.locator(':focus')).waitFor()
  await page.keyboard.type('beans')
  await page.keyboard.press('Enter')
  await page.getByRole('article').getByText('Garden beans').waitFor()
  expect(await page.getByRole('article').count()).toBe(1)
  await search(page, 'rye')
  await page.getByRole('article').getByText('Bread with rye').waitFor()
  await page.goBack()
  await page.getByRole('article').getByText('Garden beans').waitFor()
  expect(await page.getByLabel('Search for').inputValue()).toBe('beans')
  await page.reload()
  await page.getByRole('article').getByText('Garden beans').waitFor()
  expect(await findingsInBothSchemes(page)).toEqual([])
  expect(await overflowAt(page, [1920, 320])).toEqual([0, 0])
})

test('posts: signs with a meaning in addresses are words, too', async () => {
  const page = await world.signedIn(alice, '/search')
  await search(page, '100% up/running')
  await page.getByRole('article').getByText('Garden beans').waitFor()
  expect(await page.getByLabel('Search for').inputValue()).toBe('100% up/running')
  await search(page, '%2F')
  await page.getByText('No posts found').waitFor()
  expect(await page.getByLabel('Search for').inputValue()).toBe('%2F')
  await page.goto(`${world.url}/#/search/posts/%E0%A4%A`)
  await page.getByText('No posts found').waitFor()
})

test('people: the beginning of a handle finds them, and they can be followed', async () => {
  const page = await world.signedIn(alice, '/search')
  await search(page, '@bo')
  const people = page.getByRole('list', { name: 'People' })
  await people.getByRole('link', { name: 'bob.test' }).waitFor()
  expect(await page.getByRole('radio', { name: 'People' }).isChecked()).toBe(true)
  await people.getByRole('button', { name: 'Follow bob.test' }).click()
  await people.getByRole('button', { name: 'Unfollow bob.test' }).waitFor()
  const { body } = await world.server.get('app.example.graph.getFollows', { actor: alice.did }, alice)
  expect(body.follows).toMatchObject([{ did: bob.did }])
  expect(await findingsInBothSchemes(page)).toEqual([])
  await page.getByRole('radio', { name: 'Posts' }).check({ force: true })
  await page.getByText('No posts found').waitFor()
})

test('people: someone who is not known here is looked up by handle', async () => {
  const page = await world.signedIn(alice, '/search/people/@dora.example')
  await page.getByRole('link', { name: 'Look up dora.example' }).click()
  await page.getByText('This person is not known here.').waitFor()
  await page.goBack()
  await page.getByText('No people found').waitFor()
  await page.goto(`${world.url}/#/people/a%2Fb`)
  await page.getByText('This person is not known here.').waitFor()
})

test('nothing found says what to try', async () => {
  const page = await world.signedIn(alice, '/search/posts/unknown')
  await page.getByText('No posts found').waitFor()
  await page.getByText('Try fewer or other words.').waitFor()
  expect(await findingsInBothSchemes(page)).toEqual([])
})

test('recent searches: kept for the account in this browser, until they are cleared', async () => {
  const page = await world.signedIn(alice, '/search')
  await page.getByText('Search by words, by a tag').waitFor()
  await search(page, 'beans')
  await page.getByRole('article').waitFor()
  await search(page, 'rye')
  await page.getByText('Bread with rye').waitFor()
  await page.goto(`${world.url}/#/search`)
  const recent = page.getByRole('main').getByRole('listitem')
  await recent.first().waitFor()
  expect(await recent.allTextContents()).toEqual(['rye', 'beans'])
  await page.reload()
  await recent.getByRole('link', { name: 'beans' }).click()
  await page.getByRole('article').getByText('Garden beans').waitFor()
  await page.goto(`${world.url}/#/search`)
  await page.getByRole('button', { name: 'Clear recent searches' }).click()
  await page.getByText('Search by words, by a tag').waitFor()
})
