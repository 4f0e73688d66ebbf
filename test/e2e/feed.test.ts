/** The feed on Home. */
import { beforeEach, describe, expect, test } from 'vitest'
import { findingsInBothSchemes, overflow } from '../support/page/accessibility.ts'
import type { Page } from '../support/page/browser.ts'
import type { Account } from '../support/server/client.ts'
import { alice, anHourAgo, bob, carol, setupPeople, social, world } from '../support/server/setup-people.ts'
import { feed, type Ref } from '../support/server/social.ts'
import { heading } from '../support/server/world.ts'

setupPeople({ now: anHourAgo() })

const justPosted = (page: Page) => page.getByRole('list', { name: 'Just posted' })
const feedOf = (page: Page) => page.getByRole('region', { name: 'Feed' })
const postsOf = (page: Page) => feedOf(page).getByRole('article')

/** Writes many posts of an account in few calls. */
async function write(author: Account, texts: readonly string[]): Promise<void> {
  const writes = texts.map((text) => ({
    $type: 'com.core.repo.applyWrites#create',
    collection: `${feed}.post`,
    value: { text, createdAt: new Date().toISOString() },
  }))
  const { status } = await world.server.post(
    'com.core.repo.applyWrites',
    { repo: author.did, writes },
    author,
  )
  expect(status).toBe(200)
}

test('a new account finds people of this server to follow, and then their posts', async () => {
  await social.post(bob, { text: 'Rain at last' })
  const page = await world.signedIn(alice)
  await page.getByText('You follow no one yet.').waitFor()
  const people = page.getByRole('list', { name: 'People to follow' })
  await people.getByRole('link', { name: 'carol.test' }).waitFor()
  await page.getByRole('link', { name: 'Connect with friends nearby' }).waitFor()
  expect(await findingsInBothSchemes(page)).toEqual([])
  await people.getByRole('button', { name: 'Follow bob.test' }).click()
  await page.getByText('You follow bob.test').waitFor()
  await postsOf(page).getByText('Rain at last').waitFor()
  expect(await people.getByRole('listitem').count()).toBe(1)
})

test('someone followed who has written nothing yet is explained', async () => {
  await social.follow(alice, bob)
  const page = await world.signedIn(alice)
  await page.getByText('The people that you follow have not posted yet.').waitFor()
})

describe('with posts', () => {
  let first: Ref

  beforeEach(async () => {
    await social.follow(alice, bob)
    first = await social.post(bob, { text: 'The beans are up' })
  })

  test('it has posts, replies and reposts of people who are followed', async () => {
    const hers = await social.post(carol, { text: 'Bread with rye' })
    await social.repost(bob, hers)
    await social.reply(bob, first, first, { text: 'And the peas' })
    await social.post(carol, { text: 'Only for my followers' })
    const page = await world.signedIn(alice)
    const texts = postsOf(page)
    await texts.nth(0).getByText('And the peas').waitFor()
    await texts.nth(0).getByRole('link', { name: 'Reply to bob.test The beans are up' }).waitFor()
    await texts.nth(1).getByText('Bread with rye').waitFor()
    await texts.nth(1).getByText('Reposted by bob.test').waitFor()
    await texts.nth(2).getByText('The beans are up').waitFor()
    expect(await texts.count()).toBe(3)
    expect(await findingsInBothSchemes(page)).toEqual([])
    await page.setViewportSize({ width: 320, height: 740 })
    expect(await overflow(page)).toBe(0)
  })

  test('new posts are offered, and shown when the person asks for them', async () => {
    const page = await world.visitor('/sign-in')
    await page.clock.install()
    await signIn(page)
    await postsOf(page).getByText('The beans are up').waitFor()
    await social.post(bob, { text: 'Second row' })
    await social.post(bob, { text: 'Third row' })
    await page.clock.fastForward(61_000)
    const offer = page.getByRole('button', { name: '2 new posts' })
    await offer.waitFor()
    expect(await postsOf(page).count()).toBe(1)
    await offer.focus()
    await page.keyboard.press('Enter')
    await postsOf(page).nth(0).getByText('Third row').waitFor()
    await offer.waitFor({ state: 'detached' })
    expect(await postsOf(page).count()).toBe(3)
    await page.keyboard.press('Tab')
    await page.getByRole('article').first().locator(':focus').waitFor()
  })

  test('it is read again each minute while the window is visible, and rests while it is hidden', async () => {
    const page = await world.visitor('/sign-in')
    await page.clock.install()
    await signIn(page)
    await postsOf(page).getByText('The beans are up').waitFor()
    await page.waitForLoadState('networkidle')
    let reads = 0
    page.on('request', (request) => {
      if (request.url().includes('getTimeline')) reads++
    })
    const show = (state: 'hidden' | 'visible') =>
      page.evaluate(`
        Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`)
    await page.clock.fastForward(61_000)
    await expect.poll(() => reads).toBe(1)
    await show('hidden')
    await page.clock.fastForward(600_000)
    expect(reads).toBe(1)
    await social.post(bob, { text: 'Second row' })
    await show('visible')
    await page.getByRole('button', { name: '1 new post' }).waitFor()
    expect(reads).toBe(2)
  })

  test('own posts appear at once below their form, and later in the feed', async () => {
    const page = await world.signedIn(alice)
    await postsOf(page).getByText('The beans are up').waitFor()
    await page.getByLabel('Post text').fill('Mine are late')
    await page.getByRole('button', { name: 'Post', exact: true }).click()
    await justPosted(page).getByText('Mine are late').waitFor()
    expect(await postsOf(page).count()).toBe(1)
    await page.reload()
    await postsOf(page).nth(0).getByText('Mine are late').waitFor()
    expect(await postsOf(page).count()).toBe(2)
    expect(await justPosted(page).count()).toBe(0)
  })

  test('own posts that were deleted elsewhere leave it', async () => {
    const own = await social.post(alice, { text: 'Mine are late' })
    const page = await world.signedIn(alice)
    await postsOf(page).getByText('Mine are late').waitFor()
    await social.remove(alice, own)
    await page.getByLabel('Post text').fill('Mine are here')
    await page.getByRole('button', { name: 'Post', exact: true }).click()
    await justPosted(page).getByText('Mine are here').waitFor()
    expect(await postsOf(page).getByText('Mine are late').count()).toBe(0)
  })

  test('a muted person leaves it, and comes back with Undo', async () => {
    await social.post(alice, { text: 'My own' })
    const page = await world.signedIn(alice)
    await postsOf(page).getByText('The beans are up').waitFor()
    await page.getByRole('button', { name: 'More actions on the post of bob.test' }).click()
    await page.getByRole('menuitem', { name: 'Mute bob.test' }).click()
    await postsOf(page).getByText('The beans are up').waitFor({ state: 'detached' })
    await page.getByText('bob.test is muted.').waitFor()
    const muted = async () =>
      (await world.server.get('app.example.graph.getMutes', {}, alice)).body.mutes.length
    expect(await muted()).toBe(1)
    await page.getByRole('button', { name: 'Undo' }).click()
    await postsOf(page).getByText('The beans are up').waitFor()
    await expect.poll(muted).toBe(0)
  })

  test('a link leads to the own posts', async () => {
    await social.post(alice, { text: 'My own' })
    const page = await world.signedIn(alice)
    await page.getByRole('link', { name: 'Your posts' }).click()
    await heading(page, 'Person').waitFor()
    await page.getByRole('article').getByText('My own').waitFor()
    await page.getByRole('link', { name: 'Back', exact: true }).click()
    await heading(page, 'Home').waitFor()
  })
})

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Handle or email').fill(alice.handle)
  await page.getByLabel('Password', { exact: true }).fill(alice.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

test('a long feed loads while it is scrolled, and keeps only what is near in the document', async () => {
  await social.follow(alice, bob)
  await social.post(bob, { text: 'Number 0' })
  const second = await social.post(bob, { text: 'Number 1' })
  const texts = Array.from({ length: 300 }, (_, index) => `Number ${index}`)
  await write(bob, texts.slice(2, 200))
  await write(bob, texts.slice(200))
  await social.repost(bob, second)
  const page = await world.signedIn(alice)
  await postsOf(page).getByText('Number 299').waitFor()
  const last = postsOf(page).getByText('Number 0', { exact: true })
  const scrolledToEnd = async () => {
    await page.keyboard.press('End')
    return last.count()
  }
  await expect.poll(scrolledToEnd).toBe(1)
  await last.waitFor()
  expect(await postsOf(page).count()).toBeLessThan(200)

  // The place is kept when the person comes back.
  await page.getByRole('heading', { name: 'People to follow' }).waitFor()
  await last.scrollIntoViewIfNeeded()
  const placeOf = async () => (await last.boundingBox())?.y
  const place = await placeOf()
  await postsOf(page).last().getByRole('link').last().click()
  await heading(page, 'Post').waitFor()
  await page.goBack()
  await last.waitFor()
  await expect.poll(placeOf).toBe(place)

  // The post is also at the far top of the feed, whose height stays.
  const height = () => page.evaluate('document.documentElement.scrollHeight')
  const before = await height()
  const liked = postsOf(page).filter({ has: page.getByText('Number 1', { exact: true }) })
  await liked.getByRole('button', { name: 'Like, 0 likes' }).click()
  await liked.getByRole('button', { name: 'Like, 1 like' }).waitFor()
  expect(await height()).toBe(before)
})
