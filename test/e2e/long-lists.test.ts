/** An account that has been in use for long: what is requested, and how much of it. */
import { expect, test } from 'vitest'
import type { Page } from '../support/page/browser.ts'
import { owner as alice, other as bob, setupWorld, social, world } from '../support/server/setup-world.ts'
import { fillSignIn, heading } from '../support/server/world.ts'

setupWorld({ accounts: ['alice', 'bob'] })

/** Counts the calls of a method by a page. */
function countCalls(page: Page, name: string): { count: number } {
  const calls = { count: 0 }
  page.on('request', (request) => {
    if (new URL(request.url()).pathname.endsWith(`.${name}`)) calls.count++
  })
  return calls
}

/** Shows the window again after a while. */
async function comeBack(page: Page): Promise<void> {
  await page.clock.fastForward(600_000)
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))")
}

test('the interface loads at most 300 kB over the wire at its start', async () => {
  const page = await world.visitor('/sign-in')
  await page.getByLabel('Handle or email').waitFor()
  const bytes = await page.evaluate<number>(`
    [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
      .reduce((sum, { transferSize }) => sum + transferSize, 0)`)
  expect(bytes).toBeGreaterThan(100_000)
  expect(bytes).toBeLessThanOrEqual(300_000)
})

test('posts that were scrolled through are not all requested again when the window is shown', async () => {
  await social.write(bob, 'app.example.actor.profile', { displayName: 'Bob' }, { rkey: 'self' })
  const writes = Array.from({ length: 100 }, (_, index) => ({
    $type: 'com.core.repo.applyWrites#create',
    collection: 'app.example.feed.post',
    value: { text: `Number ${index}`, createdAt: '2030-01-01T00:00:00.000Z' },
  }))
  await world.server.post('com.core.repo.applyWrites', { repo: bob.did, writes }, bob)
  const page = await world.signedIn(alice, `/people/${bob.did}`)
  await page.clock.install()
  const feed = countCalls(page, 'getAuthorFeed')
  const profile = countCalls(page, 'getProfile')
  const scrolledToEnd = async () => {
    await page.keyboard.press('End')
    return page.getByText('Number 0', { exact: true }).count()
  }
  await page.getByText('Number 99').waitFor()
  await expect.poll(scrolledToEnd).toBe(1)
  const [read, profiles] = [feed.count, profile.count]
  await comeBack(page)
  await expect.poll(() => profile.count).toBeGreaterThan(profiles)
  // Answered after all requests that were sent before it.
  await page.evaluate("fetch('/xrpc/_health')")
  expect(feed.count).toBe(read)
})

test('a search goes on while pages are empty, until a click has to ask for more', async () => {
  const page = await world.visitor('/sign-in')
  let searches = 0
  await page.route('**/app.example.feed.searchPosts?*', (route) => {
    searches++
    return route.fulfill({ json: { posts: [], cursor: `after ${searches}` } })
  })
  await fillSignIn(page, alice)
  await heading(page, 'Home').waitFor()
  await page.goto(`${world.url}/#/search/posts/rare`)
  await page.getByText('Nothing in the newest posts yet.').waitFor()
  await expect.poll(() => searches).toBe(11)
  const more = page.getByRole('main').getByRole('button', { name: 'Show more' })
  await more.and(page.locator(':not([aria-disabled=true])')).waitFor()
  expect(await page.getByText('No posts found').count()).toBe(0)
  await more.click()
  await expect.poll(() => searches).toBe(12)
})

test('a list of hundreds of rows shows a hundred at once, and its filter finds the others', async () => {
  const input = { codeCount: 75, useCount: 1, forAccounts: [alice.did] }
  for (let call = 0; call < 2; call++) {
    await world.server.post('com.core.server.createInviteCodes', input, alice)
  }
  const page = await world.signedIn(alice, '/invites')
  const rows = page.getByRole('list', { name: 'Invite codes' }).getByRole('listitem')
  await expect.poll(() => rows.count()).toBe(100)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect.poll(() => rows.count()).toBe(150)
  const hidden = await rows.last().locator('code').innerText()
  await page.reload()
  await expect.poll(() => rows.count()).toBe(100)
  await page.getByRole('searchbox').fill(hidden)
  await rows.getByText(hidden).waitFor()
  await expect.poll(() => rows.count()).toBe(1)
})

test('sessions appear once the app passwords above them have their place', async () => {
  const page = await world.visitor('/sign-in')
  await fillSignIn(page, alice)
  await heading(page, 'Home').waitFor()
  const answer = Promise.withResolvers<void>()
  await page.route('**/com.core.server.listAppPasswords', async (route) => {
    await answer.promise
    await route.continue()
  })
  await page.goto(`${world.url}/#/apps`)
  const sessions = page.waitForResponse('**/com.core.server.listSessions')
  await page.reload()
  await sessions
  await page.getByRole('status').filter({ hasText: 'Loading' }).waitFor({ state: 'attached' })
  expect(await page.getByRole('heading', { name: 'Sessions', exact: true }).count()).toBe(0)
  answer.resolve()
  await page.getByText('This session').waitFor()
})
