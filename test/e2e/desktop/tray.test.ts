/** A window that is closed to the tray: its page ends, everything else goes on, and the next page continues there. */
import type { Page } from 'playwright'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { call } from '../../support/desktop/bridge.ts'
import { type App, Machine, soon } from '../../support/desktop/desktop.ts'
import { fillSignIn, heading } from '../../support/server/world.ts'

interface Account {
  readonly did: string
  readonly accessJwt: string
}

let machine: Machine
let app: App
let alice: Account
let bob: Account
let post: { readonly uri: string; readonly cid: string }

beforeAll(async () => {
  machine = await Machine.create()
  app = await machine.start()
  const page = await app.page()
  await call(page, 'server.start')
  alice = await account('alice')
  bob = await account('bob')
  for (let number = 1; number <= 40; number++)
    post = await write(alice, 'app.example.feed.post', { text: `Post ${number}` })
  await page.evaluate("location.hash = '#/sign-in'")
  await fillSignIn(page, { handle: 'alice.test', password: 'alice-password' })
  await heading(page, 'Home').waitFor()
})
afterAll(() => machine.close())

beforeEach(async () => {
  if ((await windows()).length === 0) await app.clickTray('Open Desktop PDS')
  await (await app.page()).evaluate("location.hash = '#/'")
  await heading(await app.page(), 'Home').waitFor()
})

async function send<T>(nsid: string, input: object, accessJwt?: string): Promise<T> {
  const answer = await fetch(`${machine.endpoint}/xrpc/${nsid}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(accessJwt !== undefined && { authorization: `Bearer ${accessJwt}` }),
    },
    body: JSON.stringify(input),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return (answer.headers.get('content-length') === '0' ? undefined : answer.json()) as Promise<T>
}

const account = (name: string) =>
  send<Account>('com.core.server.createAccount', { handle: `${name}.test`, password: `${name}-password` })

const write = ({ did, accessJwt }: Account, collection: string, fields: object) => {
  const record = { ...fields, createdAt: '2026-11-21T09:45:00.000Z' }
  return send<{ uri: string; cid: string }>(
    'com.core.repo.createRecord',
    { repo: did, collection, record },
    accessJwt,
  )
}

const windows = async () => (await app.look()).windows
const open = () => app.clickTray('Open Desktop PDS')

/** Closes the window, and waits for the end of its page. */
async function close(): Promise<void> {
  const page = await app.page()
  await app.closeWindow()
  await expect.poll(windows, soon).toEqual([])
  await expect.poll(() => page.isClosed(), soon).toBe(true)
}

describe('the page ends', () => {
  test('the next one shows the same screen, scrolled to the same place, with the draft', async () => {
    const page = await app.page()
    const field = (of: Page) => of.getByRole('textbox', { name: 'Post' })
    await field(page).fill('A half-written post')
    await page.getByText('Post 20', { exact: true }).waitFor()
    // Again while content above is loaded, which moves the page.
    await expect.poll(() => page.evaluate('scrollTo(0, 900), scrollY'), soon).toBe(900)
    // The event of the scroll comes with the next frame. Messages arrive in order.
    await page.evaluate(
      'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
    )
    await call(page, 'settings.view')
    const scrolled = await page.evaluate('scrollY')
    await close()
    expect((await fetch(`${machine.endpoint}/xrpc/_health`)).status).toBe(200)

    await open()
    const next = await app.page()
    expect(next).not.toBe(page)
    await expect.poll(() => next.evaluate('scrollY'), soon).toBe(scrolled)
    expect(await field(next).inputValue()).toBe('A half-written post')
    await field(next).fill('')
  })

  test('notifications of the system, the badge and their links work without it', async () => {
    await close()
    await write(bob, 'app.example.feed.like', { subject: post })
    const shown = async () => (await app.look()).notifications
    await expect.poll(shown, soon).toContainEqual({ title: 'bob.test liked your post', body: '' })
    if (process.platform !== 'win32') await expect.poll(badge, soon).toBe(1)
    await app.clickNotification('bob.test liked your post')
    await heading(await app.page(), 'Inbox').waitFor()

    await close()
    await app.openLink('desktop-pds://backups')
    await heading(await app.page(), 'Backups').waitFor()
    await expect.poll(windows, soon).toMatchObject([{ visible: true, focused: true }])
  })

  test('of two links at once the last one counts, while the page loads, too', async () => {
    await close()
    await Promise.all([app.openLink('desktop-pds://backups'), app.openLink('desktop-pds://notifications')])
    await heading(await app.page(), 'Inbox').waitFor()
  })

  test.skipIf(process.platform === 'win32')('the badge counts what is read elsewhere', async () => {
    await close()
    await write(bob, 'app.example.graph.follow', { subject: alice.did })
    await expect.poll(badge, soon).toBeGreaterThan(0)
    await send('app.example.notification.updateSeen', { seenAt: new Date().toISOString() }, alice.accessJwt)
    await expect.poll(badge, soon).toBe(0)
  })

  test('a second start opens the window on the last screen', async () => {
    await (await app.page()).evaluate("location.hash = '#/apps'")
    await heading(await app.page(), 'Apps').waitFor()
    await close()
    expect(await machine.startAgain()).toBe(0)
    await heading(await app.page(), 'Apps').waitFor()
  })

  test('a notice that the system cannot show appears in the next window', async () => {
    await close()
    await app.failNotification('Desktop PDS is still running')
    await app.answer({ response: 0 })
    await open()
    await expect.poll(async () => (await app.look()).dialogs, soon).toEqual(['Desktop PDS is still running'])
  })
})

const badge = async () => (await app.look()).badge

describe('the page is kept, hidden', () => {
  const isHidden = () => expect.poll(windows, soon).toMatchObject([{ visible: false }])

  test('while a dialog is open', async () => {
    const page = await app.page()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').waitFor()
    await page.evaluate('new Promise(requestIdleCallback)')
    await call(page, 'settings.view')
    await app.closeWindow()
    await isHidden()
    await open()
    expect(await windows()).toMatchObject([{ visible: true }])
    await app.closeWindow()
    await isHidden()
    await page.keyboard.press('Escape')
    await expect.poll(windows, soon).toEqual([])
  })

  test('until its process crashes', async () => {
    const page = await app.page()
    await page.evaluate(() => desktop.setHeld(true))
    await call(page, 'settings.view')
    await app.closeWindow()
    await isHidden()
    expect(await app.crashPage()).toBe(false)
    expect(await windows()).toEqual([])
    expect(machine.log).toContain('page crashed')
    await open()
    await heading(await app.page(), 'Home').waitFor()
  })
})

test('invalid reports of the page are ignored', async () => {
  const page = await app.page()
  for (const scroll of [-1, Number.NaN, '900', {}, undefined])
    await page.evaluate((value) => (desktop.setScroll as (scroll: unknown) => void)(value), scroll)
  await call(page, 'settings.view')
  await page.reload()
  expect(await page.evaluate(() => desktop.initialScroll)).toBeGreaterThanOrEqual(0)
})

test('a window whose end is reported late takes no place of the next one', async () => {
  const other = await Machine.create()
  try {
    const late = await other.start({ quirks: ['closed-late'] })
    const first = await late.page()
    await late.closeWindow()
    await expect.poll(() => first.isClosed(), soon).toBe(true)
    await late.clickTray('Open Desktop PDS')
    await late.page()
    await late.openLink('desktop-pds://backups')
    await heading(await late.page(), 'Backups').waitFor()
    expect((await late.look()).windows).toMatchObject([{ visible: true }])
  } finally {
    await other.close()
  }
})

test('the app quits without a window, and asks nothing', async () => {
  await close()
  await app.clickTray('Quit').catch(() => {})
  expect(await app.exited).toBe(0)
  expect(machine.log).toContain('desktop ended')
})
