/** Posts written in the window. */
import { expect, test } from 'vitest'
import { findingsInBothSchemes, overflowAt } from '../support/page/accessibility.ts'
import type { Page } from '../support/page/browser.ts'
import { download } from '../support/records/blobs.ts'
import { exifText, photo } from '../support/records/photo.ts'
import { halves, noise } from '../support/records/pictures.ts'
import {
  owner as alice,
  other as bob,
  setupWorld,
  social,
  third,
  world,
} from '../support/server/setup-world.ts'

setupWorld({ accounts: ['alice', 'bob', 'bobby'] })

const facet = 'app.example.richtext.facet'

/** The records of the posts of the first account, the newest first. */
async function posts() {
  const params = { repo: alice.did, collection: 'app.example.feed.post' }
  const { body } = await world.server.get('com.core.repo.listRecords', params)
  return body.records.map(({ value }: { value: object }) => value)
}

const text = (page: Page) => page.getByLabel('Post text')
const button = (page: Page) => page.getByRole('button', { name: 'Post', exact: true })
const posted = (page: Page) => page.getByText('Posted', { exact: true })

function attach(page: Page, ...files: readonly { name: string; mimeType: string; buffer: Buffer }[]) {
  return page
    .getByRole('main')
    .locator('input[type=file]')
    .setInputFiles([...files])
}

function png(name: string, buffer = halves(60, 30)) {
  return { name, mimeType: 'image/png', buffer }
}

test('a new account writes a post on Home', async () => {
  const page = await world.signedIn(alice, '/', { locale: 'de-AT' })
  await text(page).fill('  Mein erster Beitrag.\n')
  await button(page).click()
  await posted(page).waitFor()
  expect(await text(page).inputValue()).toBe('')
  expect(await posts()).toEqual([
    {
      $type: 'app.example.feed.post',
      text: 'Mein erster Beitrag.',
      langs: ['de'],
      createdAt: expect.any(String),
    },
  ])
})

test('a person is mentioned by keyboard alone', async () => {
  const page = await world.signedIn(alice)
  await text(page).focus()
  await page.keyboard.type('Hi 👋 @bo')
  const options = page.getByRole('listbox', { name: 'People' }).getByRole('option')
  await expect.poll(() => options.count()).toBe(2)
  await page.getByText('2 people. Choose with the arrow keys and Enter.').waitFor({ state: 'attached' })
  expect(await findingsInBothSchemes(page)).toEqual([])
  const names = await options.locator('bdi').allInnerTexts()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  expect(await options.nth(1).getAttribute('aria-selected')).toBe('true')
  expect(await text(page).getAttribute('aria-activedescendant')).toBe(await options.nth(1).getAttribute('id'))
  await page.keyboard.press('Enter')
  await expect.poll(() => text(page).inputValue()).toBe(`Hi 👋 @${names[1]} `)
  await page.keyboard.type('@b')
  await options.first().waitFor()
  await page.keyboard.press('Escape')
  await options.first().waitFor({ state: 'detached' })
  await page.keyboard.press('Backspace')
  await page.keyboard.press('Backspace')
  await page.keyboard.press('Control+Enter')
  await posted(page).waitFor()
  const chosen = names[1] === bob.handle ? bob : third
  expect(await posts()).toMatchObject([
    {
      text: `Hi 👋 @${chosen.handle}`,
      facets: [
        {
          index: { byteStart: 8, byteEnd: 9 + chosen.handle.length },
          features: [{ $type: `${facet}#mention`, did: chosen.did }],
        },
      ],
    },
  ])
  expect(await social.unread(chosen)).toBe(1)
})

test('suggestions that arrive late do not replace newer text', async () => {
  const page = await world.signedIn(alice)
  const search = '**/*searchActorsTypeahead?*q=bo*'
  const held = Promise.withResolvers<void>()
  await page.route(search, async (route) => {
    await held.promise
    await route.continue()
  })
  const request = page.waitForRequest(search)
  await text(page).pressSequentially('@bo')
  await request
  await text(page).pressSequentially('x y')
  const response = page.waitForResponse(search)
  held.resolve()
  await response
  await page.keyboard.press('Enter')
  expect(await page.getByRole('listbox', { name: 'People' }).count()).toBe(0)
  expect(await text(page).inputValue()).toBe('@box y\n')
})

test('links and tags become facets, unknown handles stay text', async () => {
  const page = await world.signedIn(alice)
  await text(page).fill('é example.com #tag @unknown.test me@bob.test')
  await button(page).click()
  await page.getByText('Posted. No account was found for @unknown.test').waitFor()
  expect(await posts()).toMatchObject([
    {
      text: 'é example.com #tag @unknown.test me@bob.test',
      facets: [
        {
          index: { byteStart: 3, byteEnd: 14 },
          features: [{ $type: `${facet}#link`, uri: 'https://example.com/' }],
        },
        { index: { byteStart: 15, byteEnd: 19 }, features: [{ $type: `${facet}#tag`, tag: 'tag' }] },
      ],
    },
  ])
})

test('pictures lose what their files say of the place, are upright, small enough and described', async () => {
  const page = await world.signedIn(alice)
  const camera = { name: 'photo.jpg', mimeType: 'image/jpeg', buffer: await photo(2400, 1200, 6) }
  expect(camera.buffer.includes(exifText)).toBe(true)
  await attach(page, camera, png('noise.png', noise(800, 600)))
  await page.getByLabel('Description of picture 1').fill('A red wall above a blue one')
  await page.getByLabel('Description of picture 2').waitFor()
  expect(await findingsInBothSchemes(page)).toEqual([])
  expect(await overflowAt(page, [320, 1920])).toEqual([0, 0])
  await button(page).click()
  await posted(page).waitFor()
  await page.getByRole('list', { name: 'Pictures of this post' }).waitFor({ state: 'detached' })
  const [{ embed, text: written }] = await posts()
  expect(written).toBe('')
  expect(embed).toMatchObject({
    $type: 'app.example.embed.images',
    images: [
      { alt: 'A red wall above a blue one', aspectRatio: { width: 1000, height: 2000 } },
      { alt: '', aspectRatio: { width: 800, height: 600 } },
    ],
  })
  for (const { image } of embed.images) {
    expect(image.size).toBeLessThanOrEqual(1_000_000)
    const file = await (await download(world.server, alice.did, image.ref.$link)).arrayBuffer()
    expect(Buffer.from(file).includes(exifText)).toBe(false)
    expect(Buffer.from(file).includes('Exif')).toBe(false)
  }
})

test('pictures are pasted, dropped and removed; other files and a fifth picture are refused', async () => {
  const page = await world.signedIn(alice)
  await attach(page, { name: 'notes.png', mimeType: 'image/png', buffer: Buffer.from('no picture') })
  await page.getByText('“notes.png” is not a picture that the browser can read.').waitFor()
  const base64 = halves(60, 30).toString('base64')
  await text(page).evaluate(give, { type: 'paste', base64 } as const)
  await page.getByLabel('Description of picture 1').waitFor()
  await text(page).evaluate(give, { type: 'drop', base64 } as const)
  await page.getByLabel('Description of picture 2').waitFor()
  await attach(page, ...['a', 'b', 'c'].map((name) => png(name)))
  await page.getByText('A post can have up to 4 pictures. Others were left out.').waitFor()
  await page.getByLabel('Description of picture 4').fill('The last')
  await page.getByRole('button', { name: 'Remove picture 1' }).click()
  expect(await page.getByLabel('Description of picture 3').inputValue()).toBe('The last')
  await button(page).click()
  await posted(page).waitFor()
  expect(await posts()).toMatchObject([{ embed: { images: [{}, {}, { alt: 'The last' }] } }])
})

/** Pastes or drops a picture on an element. Runs in the page, whose types are absent here. */
// biome-ignore lint/suspicious/noExplicitAny: as above
function give(target: any, { type, base64 }: { type: 'paste' | 'drop'; base64: string }): void {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const { DataTransfer, ClipboardEvent, DragEvent } = globalThis as any
  const data = new DataTransfer()
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  data.items.add(new File([bytes], 'a.png', { type: 'image/png' }))
  const options = { clipboardData: data, dataTransfer: data, bubbles: true, cancelable: true }
  target.dispatchEvent(type === 'paste' ? new ClipboardEvent(type, options) : new DragEvent(type, options))
}

test('pictures: closing the page asks first, and a file that is dropped beside the form does not replace it', async () => {
  const page = await world.signedIn(alice)
  await attach(page, png('red.png'))
  await page.getByLabel('Description of picture 1').fill('Typed with care')
  const dropped = await page.evaluate(`
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File(['x'], 'x.png', { type: 'image/png' }))
    const drop = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true })
    !document.body.dispatchEvent(drop)
  `)
  expect(dropped).toBe(true)
  const asked = page.waitForEvent('dialog')
  await page.close({ runBeforeUnload: true })
  const dialog = await asked
  expect(dialog.type()).toBe('beforeunload')
  await dialog.dismiss()
  expect(await page.getByLabel('Description of picture 1').inputValue()).toBe('Typed with care')
  await page.getByRole('button', { name: 'Remove picture 1' }).click()
  const closed = page.waitForEvent('close')
  await page.close({ runBeforeUnload: true })
  await closed
})

test('301 graphemes are refused with the reason, 300 are posted', async () => {
  const page = await world.signedIn(alice)
  await text(page).fill('👩‍👩‍👧e\u0301'.repeat(100) + 'x'.repeat(101))
  await page.getByText('The text is 1 character too long. Shorten it.').waitFor()
  expect(await button(page).getAttribute('aria-disabled')).toBe('true')
  expect(await findingsInBothSchemes(page)).toEqual([])
  await button(page).click({ force: true })
  await text(page).fill('👩‍👩‍👧'.repeat(200))
  await page.getByText('some emoji take up the space of many letters').waitFor()
  await text(page).press('Control+Enter')
  expect(await posts()).toEqual([])
  const longest = '👩‍👩‍👧e\u0301'.repeat(100) + 'x'.repeat(100)
  await text(page).fill(longest)
  await page.getByText('0 characters left').first().waitFor({ state: 'attached' })
  await button(page).click()
  await posted(page).waitFor()
  expect(await posts()).toMatchObject([{ text: longest }])
})

test('a pasted text of 1 MB is cut, and said to be', async () => {
  const page = await world.signedIn(alice)
  await page.evaluate(`navigator.clipboard.writeText('word '.repeat(200000))`)
  await text(page).focus()
  await page.keyboard.press('Control+V')
  await page.getByText('Its first 10,000 characters were pasted.').waitFor()
  expect((await text(page).inputValue()).length).toBe(10_000)
})

test('a draft survives a reload and a sign-out, is shared by tabs, and is cleared when it is posted', async () => {
  const page = await world.signedIn(alice)
  await text(page).fill('To be continued')
  await page.getByLabel('Language of the post').selectOption('Other…')
  await page.getByLabel('Language of the post').selectOption('Esperanto')
  await page.reload()
  await expect.poll(() => text(page).inputValue()).toBe('To be continued')
  const tab = await world.tab(page.context())
  await tab.goto(`${world.url}/#/`)
  await text(tab).press('Control+End')
  await text(tab).pressSequentially(' …')
  await expect.poll(() => text(page).inputValue()).toBe('To be continued …')
  await page.getByRole('button', { name: 'Account menu' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).first().click()
  await page.getByLabel('Handle or email').fill(alice.handle)
  await page.getByLabel('Password', { exact: true }).fill(alice.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect.poll(() => text(page).inputValue()).toBe('To be continued …')
  await button(page).click()
  await posted(page).waitFor()
  expect(await text(page).inputValue()).toBe('')
  await expect.poll(() => text(tab).inputValue()).toBe('')
  expect(await posts()).toMatchObject([{ text: 'To be continued …', langs: ['eo'] }])
  await page.reload()
  await text(page).waitFor()
  expect(await text(page).inputValue()).toBe('')
  expect(await page.getByLabel('Language of the post').inputValue()).toBe('eo')
})

test('text of another tab that was written while a post is sent is kept', async () => {
  const page = await world.signedIn(alice)
  const tab = await world.tab(page.context())
  await tab.goto(`${world.url}/#/`)
  await text(page).fill('First')
  await expect.poll(() => text(tab).inputValue()).toBe('First')
  const held = Promise.withResolvers<void>()
  await page.route('**/*putRecord', async (route) => {
    await held.promise
    await route.continue()
  })
  const request = page.waitForRequest('**/*putRecord')
  await button(page).click()
  await request
  await text(tab).fill('Second')
  await expect.poll(() => text(page).inputValue()).toBe('Second')
  held.resolve()
  await posted(page).waitFor()
  expect(await text(page).inputValue()).toBe('Second')
  await button(tab).click()
  await posted(tab).waitFor()
  expect(await posts()).toMatchObject([{ text: 'Second' }, { text: 'First' }])
})

test('a failure keeps the text; a post whose answer was lost is not posted twice', async () => {
  const page = await world.signedIn(alice)
  await text(page).fill('Once')
  // The page cannot find out whether the post has arrived before it is posted again.
  await page.route('**/xrpc/_health', (route) => route.abort())
  await page.route('**/*putRecord', async (route) => {
    await route.fetch()
    await route.abort()
  })
  await button(page).click()
  await page.getByText('The server is not responding. Check that it is running, then try again.').waitFor()
  await page.getByText('Your post is kept here.').waitFor()
  expect(await text(page).inputValue()).toBe('Once')
  await page.unroute('**/*putRecord')
  await button(page).click()
  await posted(page).waitFor()
  expect(await posts()).toMatchObject([{ text: 'Once' }])
})

test('a server that does not answer is reported after a while, and the post can be sent again', async () => {
  const page = await world.signedIn(alice)
  // Half a minute is shorter in this page.
  await page.evaluate(
    'AbortSignal.timeout = ((timeout) => (ms) => timeout(ms / 100))(AbortSignal.timeout.bind(AbortSignal))',
  )
  await text(page).fill('Slowly')
  // Never answered.
  await page.route('**/*putRecord', () => undefined)
  await button(page).click()
  await page.getByText('The server is not responding. Check that it is running, then try again.').waitFor()
  expect(await text(page).inputValue()).toBe('Slowly')
  await page.unroute('**/*putRecord')
  await button(page).click()
  await posted(page).waitFor()
  expect(await posts()).toMatchObject([{ text: 'Slowly' }])
})

test('a refused post is kept with what the server said', async () => {
  const page = await world.signedIn(alice)
  await text(page).fill('Not now')
  const json = { error: 'NotEnoughResources', message: 'full' }
  await page.route('**/*putRecord', (route) => route.fulfill({ status: 503, json }))
  await button(page).click()
  await page
    .getByText('The server is busy or its disk is full. Try again soon. Your post is kept here.')
    .waitFor()
  expect(await text(page).inputValue()).toBe('Not now')
  expect(await findingsInBothSchemes(page)).toEqual([])
})

test('a double click posts once, and Undo returns the text before what was written since', async () => {
  const page = await world.signedIn(alice)
  await text(page).fill('Too early')
  await button(page).dblclick()
  await posted(page).waitFor()
  expect(await posts()).toHaveLength(1)
  await text(page).fill('Next')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Post deleted. Its text is a draft again.').waitFor()
  expect(await posts()).toEqual([])
  expect(await text(page).inputValue()).toBe('Too early\n\nNext')
})

test('a deactivated account reads why it cannot post', async () => {
  await world.server.post('com.core.server.deactivateAccount', {}, alice)
  const page = await world.signedIn(alice)
  await text(page).fill('Later')
  await page.getByText('This account is deactivated. Reactivate it to post.').waitFor()
  await button(page).click({ force: true })
  await page.getByRole('button', { name: 'Reactivate' }).click()
  await page.getByText('This account is deactivated.').first().waitFor({ state: 'detached' })
  await button(page).click()
  await posted(page).waitFor()
  expect(await posts()).toHaveLength(1)
})
