/** Actions whose requests fail, are answered late or out of order, or whose answers are lost. */
import { expect, test } from 'vitest'
import type { Page } from '../support/page/browser.ts'
import { blobOf } from '../support/records/blobs.ts'
import { halves } from '../support/records/pictures.ts'
import { hour } from '../support/server/clock.ts'
import { owner as alice, other as bob, setupWorld, social, world } from '../support/server/setup-world.ts'

// The page writes posts with the time of its own clock.
setupWorld({
  accounts: ['alice', 'bob'],
  now: new Date(Date.now() - hour).toISOString(),
  begin: async () => {
    await social.follow(alice, bob)
    await social.post(bob, { text: 'The beans are up' })
  },
})

const put = '**/com.core.repo.putRecord'
const text = (page: Page) => page.getByLabel('Post text')
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const article = (page: Page, words: string) => page.getByRole('article').filter({ hasText: words })

async function records(collection: string): Promise<{ value: { text?: string } }[]> {
  const params = { repo: alice.did, collection: `app.example.${collection}` }
  return (await world.server.get('com.core.repo.listRecords', params)).body.records
}

const texts = async () => (await records('feed.post')).map(({ value }) => value.text)

/** The server does what is asked next with a method, but the page never learns of it. */
async function loseAnswer(page: Page, url: string): Promise<void> {
  await page.route(
    url,
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 },
  )
}

/** Holds the next request of a method. Returns a function that lets it go on. */
async function hold(page: Page, url: string): Promise<() => void> {
  const held = Promise.withResolvers<void>()
  await page.route(
    url,
    async (route) => {
      await held.promise
      await route.continue()
    },
    { times: 1 },
  )
  return held.resolve
}

async function choose(page: Page, item: string): Promise<void> {
  await button(page, 'More actions on bob.test').click()
  await page.getByRole('menuitem', { name: item }).click()
}

test('post: one whose answer was lost is found once the server answers', async () => {
  const page = await world.signedIn(alice)
  await loseAnswer(page, put)
  await text(page).fill('Once')
  await button(page, 'Post').click()
  await page.getByText('Your post was published before the connection was lost.').waitFor()
  expect(await text(page).inputValue()).toBe('')
  await page.getByRole('link', { name: 'View' }).click()
  await page.getByRole('heading', { name: 'Post' }).waitFor()
  await article(page, 'Once').waitFor()
  expect(await texts()).toEqual(['Once'])
})

test('post: text written since does not replace one whose answer was lost', async () => {
  const page = await world.signedIn(alice)
  // The page cannot find out whether the first one has arrived before the second is posted.
  await page.route('**/xrpc/_health', (route) => route.abort())
  await loseAnswer(page, put)
  await text(page).fill('First')
  await button(page, 'Post').click()
  await page.getByText('Your post is kept here.').waitFor()
  await text(page).fill('Second')
  await button(page, 'Post').click()
  await page.getByText('Posted', { exact: true }).waitFor()
  expect(await texts()).toEqual(['Second', 'First'])
})

test('post: a page that is loaded again meanwhile neither posts twice nor keeps the text', async () => {
  const page = await world.signedIn(alice)
  const stored = Promise.withResolvers<void>()
  // Never answered.
  await page.route(put, (route) => route.fetch().then(() => stored.resolve()), { times: 1 })
  await text(page).fill('Reloaded')
  await button(page, 'Post').click()
  await stored.promise
  await page.reload()
  await page.getByText('Your post was published before the connection was lost.').waitFor()
  expect(await text(page).inputValue()).toBe('')
  expect(await texts()).toEqual(['Reloaded'])
})

test('post: one that is being sent cannot be sent again from a screen that was left', async () => {
  const page = await world.signedIn(alice)
  const release = await hold(page, put)
  await text(page).fill('Slow')
  await button(page, 'Post').click()
  await page.getByRole('link', { name: 'Search', exact: true }).first().click()
  await page.goBack()
  expect(await button(page, 'Post').getAttribute('aria-disabled')).toBe('true')
  await page.keyboard.press('Control+Enter')
  release()
  await page.getByText('Posted', { exact: true }).waitFor()
  await button(page, 'Undo').click()
  await expect.poll(() => text(page).inputValue()).toBe('Slow')
  expect(await button(page, 'Undo').count()).toBe(0)
})

test('post: the message leads to it, and Undo works there', async () => {
  const page = await world.signedIn(alice)
  await text(page).fill('Look here')
  await button(page, 'Post').click()
  await page.getByRole('link', { name: 'View' }).click()
  await article(page, 'Look here').waitFor()
  await button(page, 'Undo').click()
  await article(page, 'Look here').waitFor({ state: 'detached' })
  expect(await texts()).toEqual([])
})

test('delete: a post that was deleted in another tab is deleted', async () => {
  const post = await social.post(alice, { text: 'Twice' })
  const page = await world.signedIn(alice, `/posts/${post.uri.slice('at://'.length)}`)
  await article(page, 'Twice').waitFor()
  await social.remove(alice, post)
  await button(page, 'More actions on the post of alice.test').click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByText('Post deleted').waitFor()
  expect(await texts()).toEqual([])
})

test('delete: Undo that fails is offered again', async () => {
  const { uri } = await social.post(alice, { text: 'Precious' })
  const page = await world.signedIn(alice, `/posts/${uri.slice('at://'.length)}`)
  await button(page, 'More actions on the post of alice.test').click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByText('Post deleted').waitFor()
  await page.route('**/com.core.repo.createRecord', (route) => route.abort(), { times: 1 })
  await button(page, 'Undo').click()
  await page.getByText('The post was not restored.').waitFor()
  await button(page, 'Undo').click()
  await article(page, 'Precious').waitFor()
  expect(await texts()).toEqual(['Precious'])
})

test('delete: Undo stays while other messages come', async () => {
  await social.post(alice, { text: 'Precious' })
  const page = await world.signedIn(alice)
  await button(page, 'More actions on the post of alice.test').click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByText('Post deleted').waitFor()
  for (let copies = 1; copies <= 3; copies++) {
    await button(page, 'More actions on the post of bob.test').click()
    await page.getByRole('menuitem', { name: 'Copy link' }).click()
    await expect.poll(() => page.getByText('Link copied').count()).toBe(Math.min(copies, 2))
  }
  await button(page, 'Undo').click()
  await article(page, 'Precious').waitFor()
})

test('delete: a post whose pictures cannot be read now stays, because Undo would lack them', async () => {
  const blob = await blobOf(world.server, alice, halves(60, 30), 'image/png')
  const embed = { $type: 'app.example.embed.images', images: [{ image: blob, alt: '' }] }
  const { uri } = await social.post(alice, { text: 'With a picture', embed })
  const page = await world.signedIn(alice, `/posts/${uri.slice('at://'.length)}`)
  await article(page, 'With a picture').waitFor()
  await page.route('**/com.core.sync.getBlob?**', (route) =>
    route.fulfill({ status: 503, json: { error: 'NotEnoughResources' } }),
  )
  await button(page, 'More actions on the post of alice.test').click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByText('The post was not deleted.').waitFor()
  expect(await texts()).toEqual(['With a picture'])
})

test('like and follow: one whose answer was lost is stored once', async () => {
  const page = await world.signedIn(alice)
  const like = button(page, 'Like, 0 likes')
  await loseAnswer(page, put)
  await like.click()
  await page.getByText('The server is not responding.').first().waitFor()
  await like.click()
  await button(page, 'Like, 1 like').waitFor()
  await expect.poll(async () => (await records('feed.like')).length).toBe(1)
  await page.goto(`${world.url}/#/people/${bob.did}`)
  await button(page, 'Unfollow').click()
  await loseAnswer(page, put)
  await button(page, 'Follow').click()
  await page.getByText('The server is not responding.').nth(1).waitFor()
  if (await button(page, 'Follow').isVisible()) await button(page, 'Follow').click()
  await button(page, 'Unfollow').waitFor()
  await expect.poll(async () => (await records('graph.follow')).length).toBe(1)
})

test('block: it can be ended while it is being made', async () => {
  const page = await world.signedIn(alice, `/people/${bob.did}`)
  const release = await hold(page, put)
  await choose(page, 'Block bob.test')
  await choose(page, 'Unblock bob.test')
  release()
  await page.getByText('bob.test is no longer blocked').waitFor()
  await article(page, 'The beans are up').waitFor()
  expect(await records('graph.block')).toEqual([])
})

test('mute: changes reach the server in the order in which they were made', async () => {
  const page = await world.signedIn(alice, `/people/${bob.did}`)
  const release = await hold(page, '**/app.example.graph.muteActor')
  await choose(page, 'Mute bob.test')
  await choose(page, 'Unmute bob.test')
  release()
  await page.getByText('bob.test is no longer muted').waitFor()
  const { body } = await world.server.get('app.example.actor.getProfile', { actor: bob.did }, alice)
  expect(body.viewer.muted).toBe(false)
})
