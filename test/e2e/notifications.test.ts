import { beforeEach, describe, expect, test } from 'vitest'
import { findings, findingsInBothSchemes, overflow } from '../support/page/accessibility.ts'
import type { Page } from '../support/page/browser.ts'
import { reloadUntilFrame } from '../support/page/first-frame.ts'
import type { Account } from '../support/server/client.ts'
import { hour } from '../support/server/clock.ts'
import { owner as alice, other as bob, setupWorld, social, world } from '../support/server/setup-world.ts'
import { feed, mentions, type Ref } from '../support/server/social.ts'
import { fillSignIn, heading, open } from '../support/server/world.ts'

let post: Ref

setupWorld({
  accounts: ['alice', 'bob'],
  begin: async () => {
    post = await social.post(alice)
  },
})

/** Notifies alice three times. */
async function notifyAlice(): Promise<void> {
  await social.like(bob, post)
  await social.follow(bob, alice)
  await social.post(bob, { text: 'Good morning, @alice.test', ...mentions(alice) })
}

/** The rows of the list, without the tabs above it. */
const itemsOf = (page: Page) =>
  page.getByRole('main').getByRole('listitem').and(page.locator('li:not(nav li)'))

const openInbox = (page: Page) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Inbox' }).click()

/** Reloads the page, and waits until its stream has delivered the first count. */
async function reload(page: Page): Promise<void> {
  await reloadUntilFrame(page)
  // Answered after all requests that the first count caused.
  await page.evaluate("fetch('/xrpc/_health')")
}

test('inbox: a reload reads the list once, and again if it is older than the stream', async () => {
  await notifyAlice()
  const page = await world.signedIn(alice, '/notifications')
  const items = itemsOf(page)
  await expect.poll(() => items.count()).toBe(3)
  let reads = 0
  page.on('request', (request) => {
    if (request.url().includes('listNotifications')) reads++
  })
  await reload(page)
  await expect.poll(() => items.count()).toBe(3)
  expect(reads).toBe(1)

  const isOlder = Promise.withResolvers<void>()
  let isFirst = true
  await page.route('**/*.listNotifications?*', async (route) => {
    const response = await route.fetch()
    const isBefore = isFirst
    isFirst = false
    if (isBefore) await social.repost(bob, post)
    isOlder.resolve()
    await route.fulfill({ response })
  })
  await page.route('**/*.getUnreadCount', async (route) => {
    await isOlder.promise
    await route.continue()
  })
  await reload(page)
  await expect.poll(() => items.count()).toBe(4)
  expect(reads).toBe(3)
  await page.unrouteAll({ behavior: 'wait' })
})

test('inbox: only what is near is in the document, and the place is kept when the person comes back', async () => {
  const texts = Array.from({ length: 300 }, (_, index) => `Number ${index}`)
  for (const part of [texts.slice(0, 150), texts.slice(150)]) {
    const writes = part.map((text) => ({
      $type: 'com.core.repo.applyWrites#create',
      collection: `${feed}.post`,
      value: { text, createdAt: '2030-01-01T00:00:00.000Z', ...mentions(alice) },
    }))
    await world.server.post('com.core.repo.applyWrites', { repo: bob.did, writes }, bob)
  }
  const page = await world.signedIn(alice, '/notifications')
  const items = itemsOf(page)
  await items.getByText('Number 299').waitFor()
  const last = items.getByText('Number 0', { exact: true })
  const scrolledToEnd = async () => {
    await page.keyboard.press('End')
    return last.count()
  }
  await expect.poll(scrolledToEnd).toBe(1)
  await expect.poll(() => items.count()).toBeLessThanOrEqual(150)
  await last.scrollIntoViewIfNeeded()
  const placeOf = async () => (await last.boundingBox())?.y
  const place = await placeOf()
  await items
    .filter({ has: page.getByText('Number 0', { exact: true }) })
    .getByRole('link')
    .click()
  await heading(page, 'Post').waitFor()
  await page.goBack()
  await last.waitFor()
  await expect.poll(placeOf).toBe(place)
  await page.keyboard.press('Home')
  await items.getByText('Number 299').waitFor()
})

test('inbox: new notifications appear, are counted, filtered and marked as read', async () => {
  const page = await world.signedIn(alice, '/notifications')
  await page.getByText('No notifications yet').waitFor()

  await notifyAlice()
  const items = itemsOf(page)
  await items.filter({ hasText: 'bob.test mentioned you' }).getByText('Good morning').waitFor()
  await items.filter({ hasText: 'bob.test followed you' }).waitFor()
  await items.filter({ hasText: 'bob.test liked your post' }).waitFor()
  await page.getByRole('link', { name: 'Inbox 3 unread' }).waitFor()

  await page.getByRole('radio', { name: 'Follows' }).check({ force: true })
  await expect.poll(() => items.count()).toBe(1)
  await page.getByRole('radio', { name: 'All' }).check({ force: true })
  await expect.poll(() => items.count()).toBe(3)

  await page.getByRole('button', { name: 'Mark all as read' }).dblclick()
  await page.getByText('All marked as read').waitFor()
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: 'Inbox', exact: true })
    .waitFor()
  expect(await social.unread(alice)).toBe(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('link', { name: 'Inbox 3 unread' }).waitFor()
  expect(await social.unread(alice)).toBe(3)
})

test('inbox: the stream updates the list without listing again', async () => {
  await notifyAlice()
  const page = await world.signedIn(alice, '/notifications')
  const items = itemsOf(page)
  await page.getByRole('link', { name: 'Inbox 3 unread' }).waitFor()
  await expect.poll(() => items.count()).toBe(3)
  await page.waitForLoadState('networkidle')
  const requests: string[] = []
  page.on('request', (request) => {
    // The text of a post that was liked or reposted is loaded.
    if (!request.url().includes('getPosts')) requests.push(request.url())
  })

  const like = await social.like(bob, await social.post(alice))
  await page.getByRole('link', { name: 'Inbox 4 unread' }).waitFor()
  await expect.poll(() => items.count()).toBe(4)
  const repost = await social.repost(bob, post)
  await page.getByRole('link', { name: 'Inbox 5 unread' }).waitFor()
  await items.filter({ hasText: 'bob.test reposted your post' }).waitFor()
  expect(requests).toEqual([])

  await social.remove(bob, like)
  await social.remove(bob, repost)
  await page.getByRole('link', { name: 'Inbox 3 unread' }).waitFor()
  await expect.poll(() => items.count()).toBe(3)
  expect(requests.filter((url) => url.includes('getUnreadCount'))).toEqual([])
})

test('stream: a session ended elsewhere shows the sign-in screen', async () => {
  const page = await world.visitor('/sign-in')
  await fillSignIn(page, alice)
  await heading(page, 'Home').waitFor()
  const { body: other } = await world.server.signIn(alice)
  const { body } = await world.server.get('com.core.server.listSessions', {}, other)
  const [own] = body.sessions.filter((one: { client?: string }) => one.client?.includes('Chrome'))
  await world.server.post('com.core.server.revokeSession', { id: own.id }, other)
  await heading(page, 'Sign in').waitFor()
})

test('stream: reconnects after a restart of the server and loads missed notifications', async () => {
  const page = await world.signedIn(alice, '/notifications')
  await page.getByText('No notifications yet').waitFor()
  world.server.kill()
  await page.getByText('The server is not responding.').first().waitFor()
  await world.server.restart()
  await social.follow(bob, alice)
  await page.getByRole('link', { name: 'Inbox 1 unread' }).waitFor()
  await page.getByText('bob.test followed you').waitFor()
  await social.like(bob, post)
  await page.getByText('bob.test liked your post').waitFor()
  await page.getByRole('link', { name: 'Inbox 2 unread' }).waitFor()
})

test('inbox: a failed mark-as-read is rolled back', async () => {
  await notifyAlice()
  const page = await world.signedIn(alice, '/notifications')
  await page.getByRole('link', { name: 'Inbox 3 unread' }).waitFor()
  await page.route('**/app.example.notification.updateSeen', (route) =>
    route.fulfill({ status: 503, json: { error: 'NotEnoughResources' } }),
  )
  await page.getByRole('button', { name: 'Mark all as read' }).click()
  await page.getByText('The server is busy or its disk is full.').waitFor()
  await page.getByText('Unread:').first().waitFor({ state: 'attached' })
  expect(await page.getByText('Unread:').count()).toBe(3)
})

describe('groups and posts', () => {
  let dora: Account
  let hers: Ref

  beforeEach(async () => {
    dora = await world.server.account('dora')
    hers = await social.post(dora, { text: 'Three rows of beans' })
  })

  test('inbox: likes of one post are one row, which shows the post and lists the people', async () => {
    const page = await world.signedIn(dora, '/notifications')
    await page.getByText('No notifications yet').waitFor()
    const items = itemsOf(page)
    for (const name of ['erin', 'finn', 'gina', 'hugo']) {
      await social.like(await world.server.account(name), hers)
    }
    const row = items.filter({ hasText: 'hugo.test, gina.test and 2 others liked your post' })
    await row.getByText('Three rows of beans').waitFor()
    expect(await items.count()).toBe(1)
    await row.getByText('Show all 4').click()
    await row.getByRole('listitem').filter({ hasText: 'erin.test' }).waitFor()

    await social.repost(bob, hers)
    await social.like(bob, await social.post(dora, { text: 'And a bench' }))
    await items.filter({ hasText: 'bob.test reposted your post' }).waitFor()
    await items.filter({ hasText: 'bob.test liked your post' }).getByText('And a bench').waitFor()
  })

  test('inbox: a row opens the post in its thread, and the browser leads back', async () => {
    const first = await social.reply(bob, hers, hers, { text: 'How long are they?' })
    const second = await social.reply(dora, first, hers, { text: 'Four metres' })
    await social.reply(bob, second, hers, { text: 'That is long' })
    const page = await world.signedIn(dora, '/notifications')
    const row = itemsOf(page).filter({ hasText: 'How long are they?' })
    await row.getByRole('link').focus()
    await page.keyboard.press('Enter')
    await heading(page, 'Post').waitFor()
    const posts = page.getByRole('main').getByRole('article')
    await posts.last().getByText('That is long').waitFor()
    const texts = ['Three rows of beans', 'How long are they?', 'Four metres', 'That is long']
    for (const [at, text] of texts.entries()) await posts.nth(at).getByText(text).waitFor()
    await posts.nth(1).getByText('1 reply').waitFor()
    await page.getByRole('list', { name: 'Replies to bob.test' }).waitFor()
    expect(await findings(page)).toEqual([])
    await page.setViewportSize({ width: 320, height: 740 })
    expect(await overflow(page)).toBe(0)

    await page.getByRole('link', { name: 'Back', exact: true }).click()
    await heading(page, 'Inbox').waitFor()
  })

  test('post: one that was deleted is explained', async () => {
    const deleted = await social.post(bob, { text: 'soon deleted' })
    await social.remove(bob, deleted)
    const page = await world.signedIn(dora, `/posts/${deleted.uri.slice('at://'.length)}`)
    await page.getByText('This post is not available.').waitFor()
  })

  test('post: links of other sites open only in a browser, and only those of the web', async () => {
    const text = 'bread shell'
    const facet = (byteStart: number, byteEnd: number, uri: string) => ({
      index: { byteStart, byteEnd },
      features: [{ $type: 'app.example.richtext.facet#link', uri }],
    })
    const facets = [facet(0, 5, 'https://bread.example/'), facet(6, 11, 'javascript:alert(1)')]
    const { uri } = await social.post(dora, { text, facets })
    const page = await world.signedIn(dora, `/posts/${uri.slice('at://'.length)}`)
    const links = page.getByRole('article').locator('a:not([href^="#/people/"])')
    await links.first().waitFor()
    expect(await links.evaluateAll((all) => all.map((one) => one.getAttribute('href')))).toEqual([
      'https://bread.example/',
    ])
    expect(await links.first().getAttribute('rel')).toContain('noopener')
  })
})

test('preferences: a change is saved immediately and applied', async () => {
  await notifyAlice()
  const page = await world.signedIn(alice, '/preferences')
  const likes = page.getByRole('group', { name: 'Likes of your posts', exact: true })
  await likes.getByRole('switch', { name: 'Inbox', checked: true }).waitFor()
  await likes.getByRole('switch', { name: 'Push', checked: true }).waitFor()
  await likes.getByRole('switch', { name: 'Inbox' }).click()
  await likes.getByRole('switch', { name: 'Inbox', checked: false }).waitFor()
  await likes.getByLabel('From').selectOption('People I follow')
  const saved = async () =>
    (await world.server.get('app.example.notification.getPreferences', {}, alice)).body.preferences.like
  await expect.poll(saved).toMatchObject({ include: 'follows', list: false, push: true })
  await openInbox(page)
  await page.getByText('mentioned you').waitFor()
  expect(await page.getByText('liked your post').count()).toBe(0)
})

test('preferences: a change keeps what another client changed since the page was loaded', async () => {
  const page = await world.signedIn(alice, '/preferences')
  const quotes = page.getByRole('group', { name: 'Quotes of your posts', exact: true })
  await quotes.getByRole('switch', { name: 'Inbox', checked: true }).waitFor()
  const follow = { include: 'follows', list: true, push: false }
  await world.server.post('app.example.notification.putPreferencesV2', { follow }, alice)
  await quotes.getByRole('switch', { name: 'Push' }).click()
  const saved = async () =>
    (await world.server.get('app.example.notification.getPreferences', {}, alice)).body.preferences
  await expect.poll(async () => (await saved()).quote.push).toBe(false)
  expect((await saved()).follow).toEqual(follow)
})

test('preferences: a failed change is rolled back and shows an error', async () => {
  const page = await world.signedIn(alice, '/preferences')
  await page.route('**/app.example.notification.putPreferencesV2', (route) =>
    route.fulfill({ status: 503, json: { error: 'NotEnoughResources' } }),
  )
  const follows = page.getByRole('group', { name: 'New followers' })
  await follows.getByRole('switch', { name: 'Push' }).click()
  await page.getByText('Not saved.').waitFor()
  await follows.getByRole('switch', { name: 'Push', checked: true }).waitFor()
})

test('subscriptions: one is added, produces a notification, is removed and restored by undo', async () => {
  const dan = await world.server.account('dan')
  const page = await world.signedIn(alice, '/subscriptions')
  await page.getByText('No subscriptions yet').waitFor()
  await page.getByLabel('Handle or DID').fill('unknown')
  await page.getByRole('button', { name: 'Subscribe' }).click()
  await page.locator('input:invalid:focus').waitFor()
  await page.getByLabel('Handle or DID').fill('unknown.test')
  await page.getByRole('button', { name: 'Subscribe' }).click()
  await page.getByText('This handle was not found.').waitFor()
  await page.getByLabel('Handle or DID').fill('@Dan.test')
  await page.getByRole('button', { name: 'Subscribe' }).click()
  const row = page.getByRole('list', { name: 'Subscriptions' }).getByRole('listitem')
  await row.filter({ hasText: 'dan.test' }).waitFor()
  await row.getByRole('switch', { name: 'Replies' }).check()

  await social.post(dan, { text: 'fresh from the garden' })
  await openInbox(page)
  await page.getByText('fresh from the garden').waitFor()

  await page.getByRole('link', { name: 'Subscriptions' }).click()
  await heading(page, 'Subscriptions').waitFor()
  await page.getByRole('button', { name: 'Remove dan.test' }).click()
  await page.getByText('Unsubscribed from dan.test').waitFor()
  await page.getByText('No subscriptions yet').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await row.filter({ hasText: 'dan.test' }).waitFor()
  expect(await row.getByRole('switch', { name: 'Replies' }).isChecked()).toBe(true)
})

test('subscriptions: people are suggested while a name is typed, and Enter sends what is typed', async () => {
  const heidi = await world.server.account('heidi')
  await social.put(heidi, 'app.example.actor.profile', 'self', { displayName: 'Heidi of the Alps' })
  const page = await world.signedIn(bob, '/subscriptions')
  const field = page.getByRole('combobox', { name: 'Handle or DID' })
  await field.pressSequentially('did:plc:he')
  await field.fill('')
  await field.pressSequentially('@hei')
  const options = page.getByRole('listbox', { name: 'People' }).getByRole('option')
  await options.filter({ hasText: 'Heidi of the Alps' }).waitFor()
  expect(await options.count()).toBe(1)
  expect(await field.getAttribute('aria-activedescendant')).toBeNull()
  expect(await findingsInBothSchemes(page)).toEqual([])
  await page.keyboard.press('ArrowDown')
  expect(await field.getAttribute('aria-activedescendant')).toBe(await options.getAttribute('id'))
  await page.keyboard.press('Enter')
  expect(await field.inputValue()).toBe('heidi.test')
  await options.waitFor({ state: 'detached' })
  await page.keyboard.press('Enter')
  const rows = page.getByRole('list', { name: 'Subscriptions' }).getByRole('listitem')
  await rows.filter({ hasText: 'heidi.test' }).waitFor()
  await field.pressSequentially('heid')
  await options.waitFor()
  await page.keyboard.press('Enter')
  await page.locator('input:invalid:focus').waitFor()
})

test('subscriptions: a change keeps what another client changed since the page was loaded', async () => {
  const greta = await world.server.account('greta')
  await social.subscribe(alice, greta, true, false)
  const page = await world.signedIn(alice, '/subscriptions')
  const row = page.getByRole('listitem').filter({ hasText: 'greta' })
  await row.getByRole('switch', { name: 'Posts', checked: true }).waitFor()
  const profile = await world.signedIn(alice, `/people/${greta.did}`)
  await profile.getByRole('button', { name: 'Subscribed', exact: true }).waitFor()
  const saved = async () => {
    const { body } = await world.server.get('app.example.notification.listActivitySubscriptions', {}, alice)
    return body.subscriptions.find(({ did }: { did: string }) => did === greta.did)?.activitySubscription
  }
  await social.subscribe(alice, greta, true, true)
  await row.getByRole('switch', { name: 'Posts' }).uncheck()
  await expect.poll(saved).toMatchObject({ post: false, reply: true })
  await social.subscribe(alice, greta, true, false)
  await profile.reload()
  await profile.getByRole('button', { name: 'Subscribed', exact: true }).waitFor()
  await social.subscribe(alice, greta, true, true)
  await profile.getByRole('button', { name: 'Subscribed', exact: true }).click()
  await expect.poll(saved).toMatchObject({ post: false, reply: true })
})

test('subscriptions: two quick changes of one subscription are both saved', async () => {
  const fritz = await world.server.account('fritz')
  await social.subscribe(alice, fritz, true, false)
  const page = await world.signedIn(alice, '/subscriptions')
  const row = page
    .getByRole('list', { name: 'Subscriptions' })
    .getByRole('listitem')
    .filter({ hasText: 'fritz' })
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/*putActivitySubscription', async (route) => {
    await held
    await route.continue()
  })
  await row.getByRole('switch', { name: 'Replies' }).check()
  await row.getByRole('switch', { name: 'Posts' }).uncheck()
  release()
  const saved = async () => {
    const { body } = await world.server.get('app.example.notification.listActivitySubscriptions', {}, alice)
    return body.subscriptions.find(({ did }: { did: string }) => did === fritz.did)?.activitySubscription
  }
  await expect.poll(saved).toMatchObject({ post: false, reply: true })
})

test('inbox: scrolling loads all pages once, grouped by day', async () => {
  // The server's clock is at midnight UTC; the page groups by days of the browser.
  await world.server.clock.advance(23.5 * hour)
  const author = { ...bob, ...(await signInAgain(bob)) }
  const carla = await world.server.account('carla')
  const hers = await social.post(carla)
  for (let at = 0; at < 120; at++) {
    if (at === 60) await world.server.clock.advance(hour)
    await social.reply(author, hers, hers, { text: `reply ${at}` })
  }
  const page = await world.signedIn(carla)
  const calls: string[] = []
  page.on('request', (request) => calls.push(new URL(request.url()).pathname))
  await openInbox(page)
  const items = itemsOf(page)
  await items.first().waitFor()
  // Each new page moves the end: press End until no more pages load.
  const oldestAtEnd = async () => {
    await page.keyboard.press('End')
    return items.getByText('reply 0', { exact: true }).count()
  }
  await expect.poll(oldestAtEnd).toBe(1)
  const texts = await items.getByText(/^reply \d+$/).allTextContents()
  expect(new Set(texts).size).toBe(texts.length)
  expect(calls.filter((path) => path.endsWith('.listNotifications'))).toHaveLength(3)
  const days = page
    .getByRole('main')
    .getByRole('heading', { level: 2 })
    .filter({ hasNotText: 'Last 14 days' })
  expect(await days.count()).toBe(2)

  const height = () => page.evaluate('scrollY')
  // Keyboard scrolling is animated, and layout changes interrupt it: wait for its end before scrolling elsewhere.
  const heightAtStart = async () => {
    await page.keyboard.press('Home')
    return height()
  }
  await expect.poll(heightAtStart).toBe(0)
  await page.evaluate('scrollTo(0, 900)')
  await expect.poll(height).toBe(900)
  await page.evaluate('new Promise(requestAnimationFrame)')
  await open(page, 'Settings')
  await heading(page, 'Settings').waitFor()
  expect(await height()).toBe(0)
  await page.goBack()
  await heading(page, 'Inbox').waitFor()
  await expect.poll(height).toBe(900)
})

test('inbox: a complete list does not look for its end', async () => {
  await notifyAlice()
  const page = await world.signedIn(alice, '/settings')
  await page.evaluate(() => {
    type Args = [callback: unknown, options: { readonly rootMargin: string }]
    const page = globalThis as unknown as {
      IntersectionObserver: new (...args: Args) => object
      observers: number
    }
    page.observers = 0
    page.IntersectionObserver = class extends page.IntersectionObserver {
      constructor(...args: Args) {
        super(...args)
        // Other observers look for lists that come near.
        if (args[1].rootMargin === '800px') page.observers++
      }
    }
  })
  await openInbox(page)
  await itemsOf(page).first().waitFor()
  await open(page, 'Settings')
  await heading(page, 'Settings').waitFor()
  expect(await page.evaluate('observers')).toBe(0)
})

test('inbox: a failed page is requested once and shows the error at the end of the list', async () => {
  const [fay, gus] = [await world.server.account('fay'), await world.server.account('gus')]
  const hers = await social.post(fay)
  for (let at = 0; at < 60; at++) await social.reply(gus, hers, hers, { text: `reply ${at}` })
  const page = await world.signedIn(fay)
  let requests = 0
  await page.route('**/*listNotifications*cursor*', (route) => {
    requests++
    return route.fulfill({
      status: 429,
      json: { error: 'RateLimitExceeded' },
      headers: { 'retry-after': '90' },
    })
  })
  // The stream has begun: its first message does not load the list again.
  await page.getByRole('link', { name: /^Inbox \d+ unread$/ }).click()
  const items = itemsOf(page)
  await items.first().waitFor()
  await page.keyboard.press('End')
  const failed = page.getByRole('alert').filter({ hasText: 'Too many attempts.' })
  await failed.waitFor()
  expect((await failed.boundingBox())?.y).toBeGreaterThan((await items.last().boundingBox())?.y ?? 0)
  // Enough frames for an automatic retry to show.
  for (let frame = 0; frame < 30; frame++) await page.evaluate('new Promise(requestAnimationFrame)')
  await page.unroute('**/*listNotifications*cursor*')
  await failed.getByRole('button', { name: 'Try again' }).click()
  await expect.poll(() => items.count()).toBe(60)
  expect(requests).toBe(1)
})

async function signInAgain({ handle, password }: Account): Promise<Partial<Account>> {
  return (await world.server.post('com.core.server.createSession', { identifier: handle, password })).body
}
