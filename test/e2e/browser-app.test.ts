/** The network's library for apps in browsers, in a real one: its storage, its keys and its calls across origins. */
import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ServedApp, serveApp } from '../support/page/served-app.ts'
import { owner as alice, setupWorld, world } from '../support/server/setup-world.ts'
import { heading } from '../support/server/world.ts'

let app: ServedApp

beforeAll(async () => {
  app = await serveApp(join(import.meta.dirname, '../support/accounts/browser-app.ts'))
}, 60_000)
afterAll(() => app.close())

// A page of another port may look accounts up once the owner has named it.
setupWorld({
  accounts: ['alice'],
  config: () => ({ trustedOrigins: [new URL(app.url).origin] }),
})

async function signedIn(name: string): Promise<Page> {
  const page = await world.visitor()
  await page.goto(`${app.url}#server=${encodeURIComponent(world.url)}`)
  await page.getByText('Signed out').waitFor()
  // The page leaves for the server, so the call does not return.
  await page.evaluate(`void app.signIn('${name}')`)
  await page.getByText('An app on this computer asks to sign in').waitFor()
  await page.getByLabel('Handle or email').fill(alice.handle)
  await page.getByLabel('Password', { exact: true }).fill(alice.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await heading(page, 'An app on this computer asks to sign in').waitFor()
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.getByText(`Signed in as ${alice.did}`).waitFor()
  return page
}

test.each(['the address', 'the handle'])(
  'an app in the browser signs in by %s, writes, refreshes and signs out',
  async (by) => {
    const page = await signedIn(by === 'the handle' ? alice.handle : world.url)
    expect(await page.evaluate("app.post('from a browser')")).toBe(200)
    expect(await page.evaluate("app.read('com.atproto.server.getSession')")).toBe(200)
    expect(await page.evaluate("app.read('com.atproto.server.listAppPasswords')")).toBe(403)
    expect(await page.evaluate('app.refresh()')).toBe(true)
    await page.goto(app.url)
    await page.getByText('Signed in as').waitFor()
    expect(await page.evaluate("app.post('after a reload')")).toBe(200)
    await page.evaluate('app.signOut()')
    const { body } = await world.server.get('com.core.server.listSessions', {}, alice)
    expect(body.sessions.filter(({ app: client }: { app?: string }) => client !== undefined)).toEqual([])
  },
)
