/** What can be done with posts and people, read back over the wire. */
import { beforeEach, describe, expect, test } from 'vitest'
import { findings, findingsInBothSchemes, focused, overflow } from '../support/page/accessibility.ts'
import type { Page } from '../support/page/browser.ts'
import { halves } from '../support/records/pictures.ts'
import { alice, anHourAgo, bob, carol, setupPeople, social, world } from '../support/server/setup-people.ts'
import { graph, type Ref } from '../support/server/social.ts'
import { heading } from '../support/server/world.ts'

let post: Ref

setupPeople({
  now: anHourAgo(),
  begin: async () => {
    await social.follow(alice, bob)
    post = await social.post(bob, { text: 'The beans are up' })
  },
})

const article = (page: Page, text: string) => page.getByRole('article').filter({ hasText: text })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const pathOf = ({ uri }: Ref) => `/posts/${uri.slice('at://'.length)}`

/** The post as alice sees it. */
async function read({ uri }: Ref = post) {
  const { body } = await world.server.get('app.example.feed.getPosts', { uris: [uri] }, alice)
  return body.posts[0]
}

async function openMenu(page: Page, author: string, item: string): Promise<void> {
  await button(page, `More actions on the post of ${author}`).first().click()
  await page.getByRole('menuitem', { name: item }).click()
}

test('like and repost: they are counted, kept and taken back', async () => {
  await social.like(carol, post)
  const page = await world.signedIn(alice)
  await button(page, 'Like, 1 like').click()
  await button(page, 'Like, 2 likes').and(page.locator('[aria-pressed=true]')).waitFor()
  await button(page, 'Repost, 0 reposts').click()
  await button(page, 'Repost, 1 repost').and(page.locator('[aria-pressed=true]')).waitFor()
  await expect
    .poll(() => read())
    .toMatchObject({
      likeCount: 2,
      repostCount: 1,
      viewer: { like: expect.any(String), repost: expect.any(String) },
    })
  await page.reload()
  await button(page, 'Like, 2 likes').first().click()
  await button(page, 'Like, 1 like').first().and(page.locator('[aria-pressed=false]')).waitFor()
  await expect.poll(async () => (await read()).viewer.like).toBeUndefined()
  expect((await read()).likeCount).toBe(1)
})

test('like: it shows on every screen that has the post', async () => {
  const page = await world.signedIn(alice, pathOf(post))
  await button(page, 'Like, 0 likes').click()
  await button(page, 'Like, 1 like').waitFor()
  await page.goto(`${world.url}/#/people/${bob.did}`)
  await button(page, 'Like, 1 like').and(page.locator('[aria-pressed=true]')).waitFor()
})

test('like: a double click likes once', async () => {
  const page = await world.signedIn(alice)
  await button(page, 'Like, 0 likes').dblclick()
  await button(page, 'Like, 1 like').waitFor()
  await expect.poll(async () => (await read()).likeCount).toBe(1)
  const params = { repo: alice.did, collection: 'app.example.feed.like' }
  const { body } = await world.server.get('com.core.repo.listRecords', params, alice)
  expect(body.records).toHaveLength(1)
  expect(await button(page, 'Like, 1 like').getAttribute('aria-pressed')).toBe('true')
})

test('like: of a repost it names the repost, so that its author is notified', async () => {
  const hers = await social.post(carol, { text: 'Bread with rye' })
  await social.repost(bob, hers)
  const page = await world.signedIn(alice)
  await article(page, 'Bread with rye').getByRole('button', { name: 'Like' }).click()
  await expect.poll(async () => (await read(hers)).viewer.like).toEqual(expect.any(String))
  expect(await social.listed(bob)).toContain('like-via-repost by alice')
})

test('like: a failed one is rolled back with an explanation', async () => {
  const page = await world.signedIn(alice)
  await page.route('**/com.core.repo.putRecord', (route) =>
    route.fulfill({ status: 503, json: { error: 'NotEnoughResources' } }),
  )
  await button(page, 'Like, 0 likes').click()
  await page.getByText('The server is busy or its disk is full.').waitFor()
  await button(page, 'Like, 0 likes').and(page.locator('[aria-pressed=false]')).waitFor()
})

test('like: while the server is down it is rolled back, and works once the server is back', async () => {
  const page = await world.signedIn(alice)
  await button(page, 'Like, 0 likes').waitFor()
  world.server.kill()
  await button(page, 'Like, 0 likes').click()
  await page.getByText('The server is not responding.').first().waitFor()
  await button(page, 'Like, 0 likes').and(page.locator('[aria-pressed=false]')).waitFor()
  await world.server.restart()
  await button(page, 'Like, 0 likes').click()
  await expect.poll(async () => (await read()).likeCount).toBe(1)
})

test('reply and quote: dialogs write them', async () => {
  const page = await world.signedIn(alice)
  await button(page, 'Reply, 0 replies').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Post text').fill('How long are they?')
  expect(await findings(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Reply', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(async () => (await read()).replyCount).toBe(1)
  await button(page, 'Quote, 0 quotes').last().click()
  await dialog.getByLabel('Post text').fill('Look at that')
  await dialog.getByRole('button', { name: 'Post', exact: true }).click()
  await expect.poll(async () => (await read()).quoteCount).toBe(1)
  await button(page, 'Reply, 1 reply').waitFor()
  await button(page, 'Quote, 1 quote').waitFor()
})

describe('own posts', () => {
  let own: Ref

  beforeEach(async () => {
    own = await social.post(alice, { text: 'Mine, with a mistake' })
  })

  test('delete: the post leaves the feed, and Undo restores it under its address', async () => {
    await social.like(bob, own)
    const page = await world.signedIn(alice)
    await openMenu(page, 'alice.test', 'Delete')
    await page.getByText('Post deleted').waitFor()
    await article(page, 'Mine, with a mistake').waitFor({ state: 'detached' })
    expect(await read(own)).toBeUndefined()
    await button(page, 'Undo').click()
    await article(page, 'Mine, with a mistake').getByRole('button', { name: 'Like, 1 like' }).waitFor()
    await expect.poll(async () => (await read(own))?.cid).toBe(own.cid)
  })

  test('delete: a failed one is explained, and the post stays', async () => {
    const page = await world.signedIn(alice)
    await page.route('**/com.core.repo.deleteRecord', (route) =>
      route.fulfill({ status: 503, json: { error: 'NotEnoughResources' } }),
    )
    await openMenu(page, 'alice.test', 'Delete')
    await page.getByText('The post was not deleted. The server is busy').waitFor()
    await article(page, 'Mine, with a mistake').waitFor()
  })

  test('delete: on its own screen the post is said to be deleted', async () => {
    const page = await world.signedIn(alice, pathOf(own))
    await openMenu(page, 'alice.test', 'Delete')
    await page.getByText('You deleted this post.').waitFor()
    await button(page, 'Undo').click()
    await article(page, 'Mine, with a mistake').waitFor()
  })

  test('a menu has no reports of the own account', async () => {
    const page = await world.signedIn(alice, pathOf(own))
    await button(page, 'More actions on the post of alice.test').click()
    const names = await page.getByRole('menuitem').allTextContents()
    expect(names).toEqual(['Copy link', 'Delete'])
  })
})

test('copy link: it is the address of the post on every server', async () => {
  const page = await world.signedIn(alice)
  await openMenu(page, 'bob.test', 'Copy link')
  await page.getByText('Link copied').waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(post.uri)
})

test('report: the owner of the server gets it', async () => {
  const page = await world.signedIn(carol, pathOf(post))
  await openMenu(page, 'bob.test', 'Report')
  const dialog = page.getByRole('dialog', { name: 'Report the post of bob.test' })
  await dialog.getByLabel('Reason').selectOption('Misleading')
  await dialog.getByLabel('Details').fill('They are peas')
  expect(await findings(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Report' }).click()
  await page.getByText('Report sent').waitFor()
  const { body } = await world.server.get('com.core.admin.listReports', {}, alice)
  expect(body.reports).toMatchObject([
    { reason: 'They are peas', reasonType: 'com.core.moderation.defs#reasonMisleading', subject: post },
  ])
})

test('block: from a post, with Undo', async () => {
  const page = await world.signedIn(alice)
  await openMenu(page, 'bob.test', 'Block bob.test')
  await page.getByText('bob.test is blocked.').waitFor()
  await article(page, 'The beans are up').waitFor({ state: 'detached' })
  const blocks = async () => (await world.server.get(`${graph}.getBlocks`, {}, alice)).body.blocks.length
  expect(await blocks()).toBe(1)
  await button(page, 'Undo').click()
  await article(page, 'The beans are up').waitFor()
  await expect.poll(blocks).toBe(0)
})

describe('the screen of a person', () => {
  test('it shows follow, mute and block as they are, and changes them', async () => {
    const page = await world.signedIn(alice, `/people/${bob.did}`)
    await button(page, 'Unfollow').waitFor()
    const choose = async (item: string) => {
      await button(page, 'More actions on bob.test').click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    await choose('Mute bob.test')
    await page.getByText('Muted', { exact: true }).waitFor()
    await choose('Unmute bob.test')
    await page.getByText('Muted', { exact: true }).waitFor({ state: 'detached' })
    await choose('Block bob.test')
    await page.getByText('Blocked', { exact: true }).waitFor()
    await page.getByText('You blocked this person. Unblock to see the posts.').waitFor()
    expect(await findingsInBothSchemes(page)).toEqual([])
    await page.reload()
    await page.getByText('You blocked this person.').waitFor()
    await choose('Unblock bob.test')
    await article(page, 'The beans are up').waitFor()
  })

  test('a person who blocks the account is explained', async () => {
    const page = await world.signedIn(alice, `/people/${bob.did}`)
    await article(page, 'The beans are up').waitFor()
    await social.write(bob, `${graph}.block`, { subject: alice.did, createdAt: new Date().toISOString() })
    await page.reload()
    await page.getByText('This person blocked you, so you cannot see the posts.').waitFor()
    await page.goto(`${world.url}/#${pathOf(post)}`)
    await page.getByText('This post is not available.').waitFor()
  })

  test('more posts load while it is scrolled', async () => {
    for (let at = 0; at < 40; at++) await social.post(carol, { text: `Number ${at}` })
    const page = await world.signedIn(alice, `/people/${carol.did}`)
    const scrolledToEnd = async () => {
      await page.keyboard.press('End')
      return page.getByText('Number 0', { exact: true }).count()
    }
    await expect.poll(scrolledToEnd).toBe(1)
  })
})

describe('the screen of a post', () => {
  test('a reply is written in place', async () => {
    const page = await world.signedIn(alice, pathOf(post))
    await page.getByLabel('Post text').fill('How long are they?')
    await button(page, 'Reply').click()
    await page.getByRole('list', { name: 'Replies to bob.test' }).getByText('How long are they?').waitFor()
    await button(page, 'Reply, 1 reply').waitFor()
  })

  test('many replies and deep ones stay readable in a narrow window', async () => {
    let deep = post
    for (let level = 1; level <= 9; level++) {
      deep = await social.reply(level % 2 ? carol : bob, deep, post, { text: `Level ${level}` })
    }
    for (let at = 0; at < 60; at++) await social.reply(carol, post, post, { text: `Answer ${at}` })
    const page = await world.signedIn(alice, pathOf(post), { width: 320, height: 740 })
    await page.getByText('Answer 59').waitFor()
    expect(await page.getByRole('article').count()).toBe(26)
    await button(page, 'Show 36 more replies').click()
    await button(page, 'Show 11 more replies').click()
    await page.getByText('Level 6').waitFor()
    expect(await page.getByText('Level 7').count()).toBe(0)
    expect(await overflow(page)).toBe(0)
    const narrowest = await page
      .getByText(/^Level \d$/)
      .evaluateAll((texts) =>
        Math.min(...texts.map((text) => (text as unknown as { offsetWidth: number }).offsetWidth)),
      )
    expect(narrowest).toBeGreaterThan(150)
    expect(await findings(page)).toEqual([])
    await page.getByRole('link', { name: 'Continue with 1 reply' }).click()
    await page.getByText('Level 7').waitFor()
  })

  test('a post that was deleted meanwhile is explained after an action on it', async () => {
    const page = await world.signedIn(alice)
    await article(page, 'The beans are up').waitFor()
    await social.remove(bob, post)
    await article(page, 'The beans are up').getByRole('link').last().click()
    await page.getByText('This post is not available.').waitFor()
  })

  test('mentions and tags lead to people and to searches', async () => {
    const facet = (byteStart: number, byteEnd: number, feature: object) => ({
      index: { byteStart, byteEnd },
      features: [feature],
    })
    const facets = [
      facet(0, 6, { $type: 'app.example.richtext.facet#mention', did: carol.did }),
      facet(11, 17, { $type: 'app.example.richtext.facet#tag', tag: 'bread' }),
    ]
    const hers = await social.post(bob, { text: '@carol has #bread', facets })
    const page = await world.signedIn(alice, pathOf(hers))
    await page.getByRole('link', { name: '#bread' }).click()
    await heading(page, 'Search').waitFor()
    expect(await page.getByLabel('Search for').inputValue()).toBe('#bread')
    await article(page, '@carol has #bread').getByRole('link', { name: '@carol' }).click()
    await page.getByRole('heading', { name: 'carol.test' }).waitFor()
  })
})

test('pictures are enlarged with their descriptions, and close with Escape', async () => {
  const headers = { authorization: `Bearer ${bob.accessJwt}`, 'content-type': 'image/png' }
  const body = new Uint8Array(halves(40, 20))
  const uploaded = await world.server.fetch('/xrpc/com.core.repo.uploadBlob', {
    method: 'POST',
    headers,
    body,
  })
  const { blob } = uploaded.body
  const images = [{ image: blob, alt: 'Two rows of beans' }]
  const embed = { $type: 'app.example.embed.images', images }
  await social.post(bob, { text: 'A picture', embed })
  const page = await world.signedIn(alice)
  await page.getByRole('button', { name: 'Two rows of beans' }).click()
  const dialog = page.getByRole('dialog', { name: 'Picture' })
  await dialog.getByRole('img', { name: 'Two rows of beans' }).waitFor()
  await dialog.getByText('Two rows of beans').waitFor()
  expect(await findings(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Two rows of beans' }).and(page.locator(':focus')).waitFor()
})

test('hostile names and texts keep to their place', async () => {
  const displayName = '\u202EBob the '.padEnd(60, 'very long ')
  await social.put(bob, 'app.example.actor.profile', 'self', { displayName })
  await social.post(bob, { text: `\u202E${'unbroken'.repeat(30)}` })
  await social.post(bob, { text: 'مرحبا بالعالم' })
  const page = await world.signedIn(alice, '/', { width: 320, height: 740 })
  await page.locator('p:dir(rtl)').filter({ hasText: 'مرحبا بالعالم' }).waitFor()
  expect(await overflow(page)).toBe(0)
  const names = await page.getByRole('article').getByRole('link').allTextContents()
  expect(names.filter((name) => name.includes('\u202E'))).toEqual([])
})

test('keyboard: a post is liked, answered and reported without a mouse', async () => {
  const page = await world.signedIn(alice, pathOf(post))
  const press = (keys: string) => page.keyboard.press(keys)
  await button(page, 'Reply, 0 replies').focus()
  for (const name of ['Repost, 0 reposts', 'Like, 0 likes', 'Quote, 0 quotes']) {
    await press('Tab')
    await expect.poll(() => focused(page)).toContain(name)
  }
  await press('Shift+Tab')
  await press('Space')
  await button(page, 'Like, 1 like').and(page.locator(':focus')).waitFor()
  await press('Tab')
  await press('Tab')
  await press('Enter')
  await page.getByRole('menuitem', { name: 'Copy link' }).and(page.locator(':focus')).waitFor()
  await press('End')
  await press('Enter')
  await page.getByRole('dialog').locator(':focus').waitFor()
  await press('Escape')
  await button(page, 'More actions on the post of bob.test').and(page.locator(':focus')).waitFor()
})
