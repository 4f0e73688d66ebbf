/**
 * Attacks through the browser: pages of other sites, and hostile text in records. On ordinary servers: a network for tests refuses pages
 * of other sites.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { launchBrowser, type Page } from '../support/page/browser.ts'
import { type Account, TestServer } from '../support/server/server.ts'
import { mentions, SocialServer } from '../support/server/social.ts'
import { World } from '../support/server/world.ts'

let world: World
let social: SocialServer
let alice: Account

beforeAll(async () => {
  world = await World.open()
  social = SocialServer.on(world.server)
  alice = await world.server.account('alice')
})

afterEach(() => world.closeProfiles())

afterAll(() => world.close())

test('cross-origin: a page of another site cannot read the API or the interface', async () => {
  const page = await world.signedIn(alice)
  const foreign = await page.context().newPage()
  await foreign.route('http://foreign.example/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<title>foreign</title>' }),
  )
  await foreign.goto('http://foreign.example/')
  /** Calls `fetch` in the foreign page; returns the status or `refused`. */
  const attempt = (path: string, init: object = {}) =>
    foreign.evaluate(
      ([url, options]) =>
        fetch(url, options).then(
          ({ status }) => status,
          () => 'refused',
        ),
      [world.server.url + path, init] as const,
    )

  // The browser adds no credentials by itself: tokens are not cookies.
  expect(await attempt('/xrpc/com.core.server.getSession')).not.toBe(200)
  expect(await attempt('/xrpc/com.core.server.getSession', { credentials: 'include' })).toBe('refused')
  // Other origins cannot read or frame the page that holds the tokens.
  expect(await attempt('/')).toBe('refused')
  await foreign.setContent(`<iframe src="${world.server.url}/"></iframe>`)
  const frame = foreign.frames().at(-1)
  expect(await frame?.locator('#root').count()).toBe(0)
})

test('cross-origin: a page of another site lists nothing of a private server, and what it likes of a public one', async () => {
  const site = createServer((_, res) =>
    res.setHeader('content-type', 'text/html').end('<title>foreign</title>'),
  )
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void site.close())
  // Chromium keeps pages of the Internet away from this machine; other browsers do not.
  const browser = await launchBrowser(['--host-resolver-rules=MAP foreign.example 127.0.0.1'])
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  await page.goto(`http://foreign.example:${(site.address() as AddressInfo).port}/`)
  const isolated = await TestServer.start({ publicUrl: undefined })
  onTestFinished(() => isolated.close())
  await isolated.account('hidden')
  const lists = [
    'com.core.sync.listRepos',
    'com.atproto.sync.listRepos',
    'app.bsky.actor.searchActors?q=a',
    'app.bsky.feed.searchPosts?q=a',
  ]
  for (const [server, status] of [
    [isolated, 403],
    [world.server, 200],
  ] as const) {
    for (const list of lists) {
      const url = `${server.url}/xrpc/${list}`
      const answer = await page.evaluate(async (url) => {
        const { status } = await fetch(url)
        // Without CORS the response is opaque to the page.
        const opaque = await fetch(url, { mode: 'no-cors' }).then((response) => response.text())
        return { status, opaque }
      }, url)
      expect([list, answer]).toEqual([list, { status, opaque: '' }])
    }
  }
  // The events of the public server begin with alice's.
  expect(await firstFrame(page, world.server)).toContain(alice.did)
  expect(await firstFrame(page, isolated)).not.toContain('hidden')
})

/** Returns the first message of the event stream in a page, as text; `closed` if there is none. */
function firstFrame(page: Page, server: TestServer): Promise<string> {
  const url = `${server.url.replace('http', 'ws')}/xrpc/com.atproto.sync.subscribeRepos?cursor=0`
  return page.evaluate(
    (url) =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(url)
        socket.onmessage = async ({ data }) => resolve(await (data as Blob).text())
        socket.onclose = () => resolve('closed')
      }),
    url,
  )
}

const hostileText = '<img src=x onerror="window.executed = 1"><script>window.executed = 1</script>'

test('records: markup in names and posts is shown as text', async () => {
  const mallory = await world.server.account('mallory')
  await social.put(mallory, 'app.example.actor.profile', 'self', { displayName: hostileText.slice(0, 64) })
  await social.post(mallory, { text: `${hostileText} javascript:alert(1)`, ...mentions(alice) })
  const page = await world.signedIn(alice, '/notifications')
  const item = page.getByRole('main').locator('li:not(nav li)')
  await item.getByText(hostileText).waitFor()
  await item.getByText(hostileText.slice(0, 64)).first().waitFor()
  // The row itself is a link to the post.
  expect(await item.locator('img, script, a:not([href^="#/posts/"])').count()).toBe(0)
  expect(await page.evaluate('window.executed')).toBeUndefined()
})

test('records: a link whose text is another address shows its host, and no post is taller than a screen', async () => {
  const trudy = await world.server.account('trudy')
  await social.follow(alice, trudy)
  const text = 'Sign in at \u202Ehttps://bank.example/'
  const link = { $type: 'app.example.richtext.facet#link', uri: 'https://evil.example/steal' }
  const facets = [{ index: { byteStart: 14, byteEnd: 35 }, features: [link] }]
  await social.post(trudy, { text, facets })
  const external = {
    uri: 'https://evil.example/',
    title: 'https://bank.example/',
    description: 'd'.repeat(9_000),
  }
  await social.post(trudy, { text: 'card', embed: { $type: 'app.example.embed.external', external } })
  const tall = await social.post(trudy, { text: `tall${'\n'.repeat(290)}end` })
  await social.post(trudy, { text: `Z${'\u0301'.repeat(1000)}` })
  const page = await world.signedIn(alice)
  await page.getByRole('link', { name: 'https://bank.example/ (evil.example)' }).waitFor()
  const posts = page.getByRole('region', { name: 'Feed' }).getByRole('article')
  await posts.nth(3).waitFor()
  for (let at = 0; at < 4; at++) expect((await posts.nth(at).boundingBox())?.height).toBeLessThan(700)
  await page.goto(`${world.url}/#/posts/${tall.uri.slice('at://'.length)}`)
  const main = page.getByRole('article')
  await main.getByText('end').waitFor()
  expect((await main.boundingBox())?.height).toBeGreaterThan(5_000)
})

test('embeds: posts of an app view that are nested without end are shown to one level', async () => {
  const post = await social.post(alice, { text: 'Endless' })
  const page = await world.signedIn(alice)
  await page.route('**/app.example.feed.getPostThread?*', async (route) => {
    const answer = await route.fetch()
    const body = await answer.json()
    const missing = { $type: 'app.example.embed.record#viewNotFound', uri: post.uri, notFound: true }
    const deeper = (media: object, level: number): object =>
      level === 0
        ? media
        : deeper(
            { $type: 'app.example.embed.recordWithMedia#view', media, record: { record: missing } },
            level - 1,
          )
    body.thread.post.embed = deeper({ $type: 'app.example.embed.images#view', images: [] }, 50)
    await route.fulfill({ response: answer, json: body })
  })
  await page.goto(`${world.url}/#/posts/${post.uri.slice('at://'.length)}`)
  await page.getByRole('main').getByText('Endless', { exact: true }).waitFor()
  await page.getByText('The quoted post is not available.').first().waitFor()
  expect(await page.getByText('The quoted post is not available.').count()).toBe(1)
})
