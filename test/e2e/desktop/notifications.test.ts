/** Native notifications of the signed-in accounts, by their preferences. */
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call } from '../../support/desktop/bridge.ts'
import { type App, Machine, soon } from '../../support/desktop/desktop.ts'
import { halves } from '../../support/records/pictures.ts'
import { fillSignIn, heading } from '../../support/server/world.ts'

interface Account {
  readonly did: string
  readonly handle: string
  readonly accessJwt: string
}

let machine: Machine
let app: App
let page: Page
let alice: Account
let bob: Account
let post: { readonly uri: string; readonly cid: string }

beforeAll(async () => {
  machine = await Machine.create()
  app = await machine.start()
  page = await app.page()
  await call(page, 'server.start')
  alice = await account('alice')
  bob = await account('bob')
  await write(bob, 'app.example.actor.profile', { displayName: '\u202EBob' })
  post = await write(alice, 'app.example.feed.post', { text: 'Good morning', createdAt })
  await page.evaluate("location.hash = '#/sign-in'")
  await fillSignIn(page, { handle: alice.handle, password: 'alice-password' })
  await heading(page, 'Home').waitFor()
})

afterAll(() => machine.close())

const createdAt = '2026-11-21T09:45:00.000Z'

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
  return answer.json() as Promise<T>
}

const account = (name: string) =>
  send<Account>('com.core.server.createAccount', { handle: `${name}.test`, password: `${name}-password` })

const write = (author: Account, collection: string, record: object) =>
  send<{ uri: string; cid: string }>(
    'com.core.repo.createRecord',
    { repo: author.did, collection, record, ...(collection.endsWith('profile') && { rkey: 'self' }) },
    author.accessJwt,
  )

const reply = (text: string) =>
  write(bob, 'app.example.feed.post', { text, createdAt, reply: { root: post, parent: post } })
const shown = async () => (await app.look()).notifications

test('a like is shown, and a click on it opens the inbox', async () => {
  await app.closeWindow()
  await expect.poll(async () => (await app.look()).windows, soon).toEqual([])
  await write(bob, 'app.example.feed.like', { subject: post, createdAt })
  await expect.poll(shown, soon).toContainEqual({ title: 'Bob liked your post', body: '' })
  await app.clickNotification('Bob liked your post')
  page = await app.page()
  await expect
    .poll(async () => (await app.look()).windows, soon)
    .toMatchObject([{ visible: true, focused: true }])
  await heading(page, 'Inbox').waitFor()
})

test('nothing is shown while the inbox has the focus', async () => {
  await expect.poll(async () => (await app.look()).windows[0]?.url, soon).toContain('#/notifications')
  const before = (await shown()).length
  await reply('While you look')
  await app.blurWindow()
  await reply('While you look away')
  await expect.poll(shown, soon).toHaveLength(before + 1)
  expect((await shown()).at(-1)).toEqual({ title: 'Bob replied to you', body: 'While you look away' })
})

test.runIf(process.platform === 'linux')('on Linux markup characters in the body are escaped', async () => {
  await reply('1 < 2 & <b>bold</b>')
  const body = '1 &lt; 2 &amp; &lt;b&gt;bold&lt;/b&gt;'
  await expect.poll(shown, soon).toContainEqual({ title: 'Bob replied to you', body })
})

test('more than three in one batch are shown as one notification', async () => {
  const writes = Array.from({ length: 4 }, (_, place) => ({
    $type: 'com.core.repo.applyWrites#create',
    collection: 'app.example.feed.post',
    value: { text: `Reply ${place}`, createdAt, reply: { root: post, parent: post } },
  }))
  await send('com.core.repo.applyWrites', { repo: bob.did, writes }, bob.accessJwt)
  await expect.poll(async () => (await shown()).at(-1)?.title, soon).toBe('4 new notifications')
})

test('the push preference and the nativeNotifications setting suppress notifications', async () => {
  const preferences = { reply: { include: 'all', list: true, push: false } }
  await send('app.bsky.notification.putPreferencesV2', preferences, alice.accessJwt)
  await reply('Not pushed')
  const last = (await shown()).at(-1)
  await call(page, 'settings.change', { nativeNotifications: false })
  await write(bob, 'app.example.graph.follow', { subject: alice.did, createdAt })
  await call(page, 'settings.change', { nativeNotifications: true })
  expect((await shown()).at(-1)).toEqual(last)
  await write(bob, 'app.example.feed.repost', { subject: post, createdAt })
  await expect.poll(shown, soon).toContainEqual({ title: 'Bob reposted your post', body: '' })
  const titles = (await shown()).map(({ title }) => title)
  expect(titles).not.toContain('Bob followed you')
  expect((await shown()).map(({ body }) => body)).not.toContain('Not pushed')
})

test('notifications continue after a restart, with the stored session', async () => {
  await app.quit()
  app = await machine.start()
  page = await app.page()
  await heading(page, 'Home').waitFor()
  const another = await write(alice, 'app.example.feed.post', { text: 'Another post', createdAt })
  await write(bob, 'app.example.feed.like', { subject: another, createdAt })
  await expect.poll(shown, soon).toContainEqual({ title: 'Bob liked your post', body: '' })
})

test('the window shows pictures of the server', async () => {
  const { blob } = await upload(bob, halves(60, 60))
  await send(
    'com.core.repo.putRecord',
    { repo: bob.did, collection: 'app.example.actor.profile', rkey: 'self', record: { avatar: blob } },
    bob.accessJwt,
  )
  await page.evaluate("location.hash = '#/preferences'")
  await heading(page, 'Notifications').waitFor()
  await page.reload()
  await page.evaluate("location.hash = '#/notifications'")
  const avatar = page.getByRole('main').locator('li[data-unread] img').first()
  const widthOf = (image: { naturalWidth: number }) => image.naturalWidth
  await expect.poll(() => avatar.evaluate(widthOf), soon).toBe(60)
})

async function upload(author: Account, content: Buffer): Promise<{ blob: object }> {
  const answer = await fetch(`${machine.endpoint}/xrpc/com.core.repo.uploadBlob`, {
    method: 'POST',
    headers: { 'content-type': 'image/png', authorization: `Bearer ${author.accessJwt}` },
    body: new Uint8Array(content),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return answer.json() as Promise<{ blob: object }>
}
