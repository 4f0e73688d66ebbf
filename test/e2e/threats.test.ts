/** What others put before the person: a web page in the same browser, and records that mean harm. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Account } from '../support/server.ts'
import { mentions, SocialServer } from '../support/social.ts'
import { World } from '../support/world.ts'

let world: World
let social: SocialServer
let alice: Account

beforeAll(async () => {
  world = await World.open()
  social = SocialServer.on(world.server)
  alice = await world.server.account('alice')
})

afterEach(() => world.forget())

afterAll(() => world.close())

test('a page of another site gets nothing by being in the same browser', async () => {
  const page = await world.signedIn(alice)
  const stranger = await page.context().newPage()
  await stranger.route('http://stranger.example/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<title>stranger</title>' }),
  )
  await stranger.goto('http://stranger.example/')
  /** What a script of the page gets: a status, or nothing at all. */
  const attempt = (path: string, init: object = {}) =>
    stranger.evaluate(
      ([url, options]) =>
        fetch(url, options).then(
          ({ status }) => status,
          () => 'refused',
        ),
      [world.server.url + path, init] as const,
    )

  // Being signed in here gives it nothing: there is no credential that the browser would add by itself.
  expect(await attempt('/xrpc/com.core.server.getSession')).not.toBe(200)
  expect(await attempt('/xrpc/com.core.server.getSession', { credentials: 'include' })).toBe('refused')
  // The page with the tokens, and its files, are not for other origins.
  expect(await attempt('/')).toBe('refused')
  await stranger.setContent(`<iframe src="${world.server.url}/"></iframe>`)
  const frame = stranger.frames().at(-1)
  expect(await frame?.locator('#root').count()).toBe(0)
})

const harm = '<img src=x onerror="window.harmed = 1"><script>window.harmed = 1</script>'

test('what records hold is shown as text, whatever it says', async () => {
  const mallory = await world.server.account('mallory')
  await social.put(mallory, 'app.example.actor.profile', 'self', { displayName: harm.slice(0, 64) })
  await social.post(mallory, { text: `${harm} javascript:alert(1)`, ...mentions(alice) })
  const page = await world.signedIn(alice, '/notifications')
  const item = page.getByRole('main').getByRole('listitem')
  await item.getByText(harm).waitFor()
  await item.getByText(harm.slice(0, 64)).first().waitFor()
  expect(await item.locator('img, script, a').count()).toBe(0)
  expect(await page.evaluate('window.harmed')).toBeUndefined()
})
