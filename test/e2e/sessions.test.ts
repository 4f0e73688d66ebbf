import { expect, test } from 'vitest'
import { hour } from '../support/server/clock.ts'
import { owner as alice, setupWorld, world } from '../support/server/setup-world.ts'
import { heading, open } from '../support/server/world.ts'

setupWorld({ accounts: ['alice'] })

test('sessions: each is listed with its client, and ends alone or with all others', async () => {
  const { body: phone } = await world.server.fetch('/xrpc/com.core.server.createSession', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent':
        'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605 Version/19.0 Safari/604',
    },
    body: JSON.stringify({ identifier: alice.handle, password: alice.password }),
  })
  await world.server.post('com.core.server.createSession', {
    identifier: alice.handle,
    password: alice.password,
  })
  const page = await world.signedIn(alice, '/apps')
  const sessions = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')
  await sessions.filter({ hasText: 'Safari on iPhone' }).waitFor()
  expect(await sessions.count()).toBe(4)
  expect(await sessions.first().textContent()).toContain('This session')
  expect(await sessions.first().getByRole('button').count()).toBe(0)

  await page.getByRole('button', { name: 'End session of Safari on iPhone' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End' }).click()
  await page.getByText('Session ended').waitFor()
  await expect.poll(() => sessions.count()).toBe(3)
  expect((await world.server.get('com.core.server.getSession', {}, phone)).body.error).toBe('ExpiredToken')

  await page.getByRole('button', { name: 'End all others' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End' }).click()
  await page.getByText('2 sessions ended').waitFor()
  await expect.poll(() => sessions.count()).toBe(1)
  expect((await world.server.get('com.core.server.getSession', {}, alice)).body.error).toBe('ExpiredToken')
})

test('sessions: dates follow the locale of the browser', async () => {
  for (const [locale, format] of [
    ['en-US', /^Jan \d+, \d{4}, \d+:\d\d [AP]M$/],
    ['de-DE', /^\d+ Jan \d{4}, \d\d:\d\d$/],
  ] as const) {
    const page = await world.signedIn(alice, '/apps', { locale })
    const opened = page.getByRole('list', { name: 'Sessions' }).locator('time').first()
    expect((await opened.getAttribute('title'))?.replaceAll(/\s/g, ' ')).toMatch(format)
  }
})

test('sessions: a session ended elsewhere shows the reason, and sign-in returns to the same screen', async () => {
  const page = await world.signedIn(alice, '/apps')
  await page.getByText('This session').waitFor()
  const { body: other } = await world.server.post('com.core.server.createSession', {
    identifier: alice.handle,
    password: alice.password,
  })
  const { body: list } = await world.server.get('com.core.server.listSessions', {}, other)
  for (const { id, current } of list.sessions) {
    if (!current) await world.server.post('com.core.server.revokeSession', { id }, other)
  }
  await heading(page, 'Sign in').waitFor()
  await page.getByText('You were signed out of alice.test:').waitFor()
  expect(await page.getByLabel('Handle or email').inputValue()).toBe('alice.test')
  await page.getByLabel('Password', { exact: true }).fill(alice.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await heading(page, 'Sessions').waitFor()
})

test('sessions: the use of an old token is shown, and the session can be ended', async () => {
  const carol = await world.server.account('carol')
  const refresh = () => world.server.post('com.core.server.refreshSession', undefined, carol.refreshJwt)
  const { body: successor } = await refresh()
  await world.server.clock.advance(3 * hour)
  await refresh()
  const page = await world.signedIn(carol, '/apps')
  const marked = page.getByRole('listitem').filter({ hasText: 'An old token of this session was used' })
  await marked.getByText('Old token used').waitFor()
  expect(await marked.count()).toBe(1)
  await marked.getByRole('button', { name: 'End session of' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End' }).click()
  await page.getByText('Session ended').waitFor()
  const ended = await world.server.post('com.core.server.refreshSession', undefined, successor.refreshJwt)
  expect(ended.body.error).toBe('ExpiredToken')
})

test('sessions: an expired access token is refreshed once for all tabs', async () => {
  const first = await world.signedIn(alice)
  const second = await world.tab(first.context())
  await second.goto(world.url)
  await heading(second, 'Home').waitFor()
  const refreshes: string[] = []
  first.context().on('request', (request) => {
    if (request.url().endsWith('refreshSession')) refreshes.push(request.url())
  })
  await world.server.clock.advance(2 * hour)
  await Promise.all([first, second].map((page) => open(page, 'Account', 'Sessions')))
  await Promise.all([first, second].map((page) => page.getByText('This session').waitFor()))
  expect(refreshes).toHaveLength(1)
})

test('sessions: a refresh that fails after a new sign-in in another tab keeps the new session', async () => {
  const page = await world.signedIn(alice, '/apps')
  await page.getByText('This session').waitFor()
  const signedIn = Promise.withResolvers<void>()
  await page.route('**/xrpc/com.core.server.refreshSession', async (route) => {
    await signedIn.promise
    await route.continue()
  })
  const asked = page.waitForRequest(/refreshSession$/)
  const answered = page.waitForResponse(/refreshSession$/)
  const { body: session } = await world.server.signIn(alice)
  const { body: list } = await world.server.get('com.core.server.listSessions', {}, session)
  for (const { id, current } of list.sessions) {
    if (!current) await world.server.post('com.core.server.revokeSession', { id }, session)
  }
  await asked
  await page.evaluate("void (globalThis.changed = new Promise((done) => addEventListener('storage', done)))")
  const other = await world.tab(page.context())
  await other.goto(`${world.url}/xrpc/_health`)
  await other.evaluate(`localStorage['pds.sessions'] = ${JSON.stringify(JSON.stringify([session]))}`)
  await page.evaluate('changed.then(() => true)')
  signedIn.resolve()
  expect((await answered).ok()).toBe(false)
  await page.getByText('This session').waitFor()
  await open(page, 'Account', 'Data')
  await heading(page, 'Data').waitFor()
})

test('sessions: signing out in one tab signs out the other', async () => {
  const first = await world.signedIn(alice)
  const second = await world.tab(first.context())
  await second.goto(world.url)
  await heading(second, 'Home').waitFor()
  await first.getByRole('button', { name: 'Account menu, alice.test' }).click()
  await first.getByRole('menuitem', { name: 'Sign out' }).click()
  await heading(first, 'Sign in').waitFor()
  await heading(second, 'Sign in').waitFor()
})
