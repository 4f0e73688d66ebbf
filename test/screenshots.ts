/** `npm run screenshots`: takes pictures of the main screens for the README, with sample data, into `.github/pictures/`. */
import { ScriptedDesktop } from './support/desktop/desktop-bridge.ts'
import type { Page } from './support/page/browser.ts'
import { takePicture } from './support/page/pictures.ts'
import { hour, minute } from './support/server/clock.ts'
import type { Account } from './support/server/server.ts'
import { mentions, SocialServer } from './support/server/social.ts'
import { heading, World } from './support/server/world.ts'

/** At noon, nothing of the last hours happened yesterday. */
const noon = Date.parse('2026-06-15T12:00:00.000Z')
const size = { width: 1280, height: 800, now: noon }

const world = await World.open({ port: 2583, publicUrl: 'http://localhost:2583' })
const { server } = world
const social = SocialServer.on(server)

try {
  const alice = await seed()
  for (const [path, title, colorScheme] of [
    ['', 'Home', 'dark'],
    ['notifications', 'Inbox', 'light'],
    ['notifications', 'Inbox', 'dark'],
    ['account', 'Account', 'light'],
    ['data', 'Data', 'light'],
  ] as const) {
    const page = await world.signedIn(alice, `/${path}`, { ...size, colorScheme })
    await picture(`${path || 'home'}-${colorScheme}`, page, title)
  }
  await desktopPictures(alice)
} finally {
  await world.closeProfiles()
  await world.close()
}

async function picture(name: string, page: Page, title: string): Promise<void> {
  await heading(page, title).waitFor()
  await takePicture(page, name)
}

/** Takes pictures of the screens that only the desktop has. */
async function desktopPictures(alice: Account): Promise<void> {
  const desktop = new ScriptedDesktop(world.url)
  const ago = (ms: number) => new Date(noon - ms).toISOString()
  const mail = { to: alice.email, text: '' }
  desktop.accounts = [await signInAgain(alice)]
  desktop.outbox = [
    { ...mail, id: '1', at: ago(2 * minute), subject: 'Confirm your email address', code: 'K7RWQ-2MXDA' },
    { ...mail, id: '2', at: ago(3 * 24 * hour), subject: 'Reset your password', code: 'PZ4NV-H6TCE' },
  ]
  for (const [path, title, colorScheme] of [
    ['outbox', 'Outbox', 'light'],
    ['network', 'Network', 'dark'],
  ] as const) {
    const page = await world.visitor(`/${path}`, { ...size, colorScheme }, desktop)
    await picture(`${path}-${colorScheme}`, page, title)
  }
}

/** Fills the server with two days of activity that end at noon. */
async function seed(): Promise<Account> {
  server.clock.advance(noon - 26 * hour - Date.parse(server.clock.now().toISOString()))
  await server.running.services.clock.confirm()
  const alice = await server.account('alice')
  const nora = await person('nora', 'Nora Lindqvist')
  const piet = await person('piet', 'Piet de Vries')
  const quinn = await person('quinn', 'Quinn')
  const bread = await social.post(alice, { text: 'The bread turned out well today.' })
  await social.follow(nora, alice)
  await social.like(nora, bread)
  server.clock.advance(20 * minute)
  await social.like(quinn, bread, await social.repost(piet, bread))
  await social.subscribe(alice, quinn, true, false)
  await server.post('com.core.server.createAppPassword', { name: 'Phone' }, alice)
  await server.post('com.core.server.createAppPassword', { name: 'Laptop', privileged: true }, alice)
  const seen = await social.list(alice)
  await social.call('updateSeen', { seenAt: seen.notifications[0].indexedAt }, alice)

  server.clock.advance(24.5 * hour)
  await social.post(await signInAgain(quinn), {
    text: 'Three rows of beans, and a bench to look at them from.',
  })
  server.clock.advance(30 * minute)
  await social.reply(await signInAgain(nora), bread, bread, {
    text: 'Would you share the recipe? Mine never rises as much, and I have been trying since spring.',
  })
  server.clock.advance(30 * minute)
  await social.post(await signInAgain(piet), { text: 'Dinner at eight, @alice.test?', ...mentions(alice) })
  return alice
}

async function person(name: string, displayName: string): Promise<Account> {
  const account = await server.account(name)
  await social.put(account, 'app.example.actor.profile', 'self', { displayName })
  return account
}

/** Returns the account with a new session. */
async function signInAgain(account: Account): Promise<Account> {
  const { handle, password } = account
  const { body } = await server.post('com.core.server.createSession', { identifier: handle, password })
  return { ...account, ...body }
}
