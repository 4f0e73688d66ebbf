import { expect, test } from 'vitest'
import {
  accessibilityTree,
  findingsInBothSchemes,
  focused,
  overflowAt,
  unfold,
} from '../support/page/accessibility.ts'
import { alice, bob, carol, setupPeople, social, world } from '../support/server/setup-people.ts'
import { mentions } from '../support/server/social.ts'
import { fillSignIn, heading, open } from '../support/server/world.ts'

setupPeople({ begin })

async function begin() {
  await social.post(bob, { text: 'Good morning', ...mentions(alice) })
  await social.post(bob, { text: 'Good evening', ...mentions(carol) })
  await world.server.post('com.core.server.createAppPassword', { name: 'Phone', privileged: true }, carol)
  await social.subscribe(alice, bob, true, false)
  await world.server.post('com.core.server.createAppPassword', { name: 'Phone', privileged: true }, alice)
  const recent = { email: alice.email, password: alice.password }
  await world.server.post('com.core.server.updateEmail', { ...recent, email: 'alice@second.test' }, alice)
  await world.server.post('com.core.server.createInviteCodes', { codeCount: 2, useCount: 2 }, alice)
}

const screens: readonly (readonly [path: string, title: string, ready: string])[] = [
  ['/', 'Home', 'No client has signed in yet.'],
  ['/account', 'Account', 'Points to this server'],
  ['/apps', 'Apps and sessions', 'Phone'],
  ['/data', 'Data', 'Records and media'],
  ['/apps', 'Apps and sessions', 'This session'],
  ['/search', 'Search', 'Search by words'],
  ['/notifications', 'Inbox', 'mentioned you'],
  ['/subscriptions', 'Subscriptions', 'bob.test'],
  ['/settings', 'Settings', 'Appearance'],
  ['/preferences', 'Notifications', 'New followers'],
  ['/invites', 'Invites', '2 uses left'],
  ['/accounts', 'People', 'bob.test'],
  ['/reports', 'Reports', 'No open reports'],
  ['/service-tokens', 'Service tokens', 'Valid for'],
  ['/network', 'Network', 'All 15 reasons'],
  ['/backups', 'Backups', 'No backup yet'],
  ['/logs', 'Logs', 'No log lines yet'],
  ['/requests', 'Requests', 'This server records all requests'],
  ['/conformance', 'Protocol check', 'No check yet'],
  ['/no-such-page', 'Page not found', 'This page does not exist'],
]

const dialogs: readonly (readonly [path: string, button: string])[] = [
  ['/account', 'Change'],
  ['/account', 'Edit profile'],
  ['/account', 'Deactivate'],
  ['/account', 'Delete…'],
  ['/apps', 'New app password'],
  ['/apps', 'Revoke Phone'],
  ['/invites', 'New codes'],
]

test('axe: no findings on any screen', async () => {
  const page = await world.signedIn(alice)
  for (const [path, title, ready] of screens) {
    await page.goto(`${world.url}/#${path}`)
    await heading(page, title).waitFor()
    await page.getByRole('main').getByText(ready).first().waitFor()
    await unfold(page)
    expect({ path, findings: await findingsInBothSchemes(page) }).toEqual({ path, findings: [] })
  }
})

test('axe: no findings in dialogs and menus', async () => {
  const page = await world.signedIn(alice)
  for (const [path, button] of dialogs) {
    await page.goto(`${world.url}/#${path}`)
    await page.getByRole('main').getByRole('button', { name: button }).first().click()
    await page.getByRole('dialog').waitFor()
    expect({ button, findings: await findingsInBothSchemes(page) }).toEqual({ button, findings: [] })
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  await page.getByRole('button', { name: 'Account menu, alice.test' }).click()
  await page.getByRole('menu').waitFor()
  expect(await findingsInBothSchemes(page)).toEqual([])
})

test('axe: no findings on sign-in, sign-up and password reset', async () => {
  const page = await world.visitor('/sign-in')
  for (const [path, title] of [
    ['/sign-in', 'Sign in'],
    ['/create', 'Create an account'],
    ['/reset', 'Reset your password'],
  ] as const) {
    await page.goto(`${world.url}/#${path}`)
    await heading(page, title).waitFor()
    expect({ path, findings: await findingsInBothSchemes(page) }).toEqual({ path, findings: [] })
  }
})

test('layout: no horizontal overflow at a width of 320, 768 and 2560', async () => {
  const page = await world.signedIn(alice)
  for (const [path, title, ready] of screens) {
    await page.goto(`${world.url}/#${path}`)
    await heading(page, title).waitFor()
    await page.getByRole('main').getByText(ready).first().waitFor()
    await unfold(page)
    expect({ path, overflow: await overflowAt(page, [2560, 768, 320]) }).toEqual({
      path,
      overflow: [0, 0, 0],
    })
  }
})

test('layout: in a narrow window a button opens the navigation', async () => {
  const page = await world.signedIn(alice, '/', { width: 360, height: 740 })
  expect(await page.getByRole('navigation').count()).toBe(0)
  await page.getByRole('button', { name: 'Open menu, 1 unread' }).click()
  await page.getByRole('link', { name: 'Account', exact: true }).click()
  await heading(page, 'Account').waitFor()
  expect(await page.getByRole('navigation', { name: 'Main' }).count()).toBe(0)
  await page.getByRole('link', { name: 'Sessions' }).click()
  await heading(page, 'Sessions').waitFor()
})

test('keyboard: sign-in, navigation, app passwords and menus work without a mouse', async () => {
  const page = await world.visitor('/sign-in')
  await heading(page, 'Sign in').waitFor()
  const press = (keys: string) => page.keyboard.press(keys)
  await page.getByLabel('Handle or email').and(page.locator(':focus')).waitFor()
  await page.keyboard.type(alice.handle)
  await press('Tab')
  await page.keyboard.type(alice.password)
  await press('Enter')
  await heading(page, 'Home').waitFor()
  await expect.poll(() => focused(page)).toBe('Home')

  await page.reload()
  await heading(page, 'Home').waitFor()
  await press('Tab')
  await expect.poll(() => focused(page)).toBe('Skip to content')
  await press('Enter')
  await press('Tab')
  await expect.poll(() => focused(page)).toBe('1 unread notification')
  await press('Tab')
  await expect.poll(() => focused(page)).toBe('Everyone')
  await page.getByText('No client has signed in yet.').waitFor()
  await page.getByRole('radio', { name: 'This window' }).focus()
  await press('ArrowRight')
  await page.getByRole('radio', { name: 'Bluesky', checked: true }).and(page.locator(':focus')).waitFor()
  await press('Tab')
  await press('Tab')
  await press('Tab')
  await expect.poll(() => focused(page)).toBe('Copy address')

  await page.keyboard.type('gp')
  await heading(page, 'Apps and sessions').waitFor()
  await expect.poll(() => focused(page)).toBe('Apps and sessions')
  await press('Tab')
  await press('Enter')
  await page.getByRole('dialog').locator('input:focus').waitFor()
  await press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expect.poll(() => focused(page)).toBe('New app password')
  await press('Enter')
  await page.getByRole('dialog').locator('input:focus').waitFor()
  await press('Enter')
  await page.getByRole('status', { name: 'App password' }).waitFor()
  await expect.poll(() => focused(page)).toBe('Copy')
  await press('Enter')
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  await press('Tab')
  await press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  await press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await press('Escape')
  await page.getByRole('button', { name: 'Account menu, alice.test' }).focus()
  await press('Enter')
  await page.getByRole('menuitemradio', { name: 'alice.test' }).and(page.locator(':focus')).waitFor()
  await press('ArrowUp')
  await expect.poll(() => focused(page)).toBe('Sign out')
  await press('Escape')
  await page.getByRole('button', { name: 'Account menu, alice.test' }).and(page.locator(':focus')).waitFor()
})

test('keyboard: focus moves to the next row, then to the heading, when a row is removed', async () => {
  const dan = await world.server.account('dan')
  for (const name of ['Laptop', 'Phone']) {
    await world.server.post('com.core.server.createAppPassword', { name }, dan)
  }
  const page = await world.signedIn(dan, '/apps')
  const revoke = async (name: string) => {
    await page.getByRole('button', { name: `Revoke ${name}` }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').locator(':focus').waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
  }
  await revoke('Phone')
  await expect.poll(() => focused(page)).toBe('Revoke Laptop')
  await revoke('Laptop')
  await page.getByText('No app passwords yet').waitFor()
  await expect.poll(() => focused(page)).toBe('Apps and sessions')
})

test('keyboard: Tab closes a menu and moves on', async () => {
  const page = await world.signedIn(alice, '/accounts')
  await page.getByRole('button', { name: 'Actions for bob.test' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Suspend' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Tab')
  await page.getByRole('menuitem').first().waitFor({ state: 'detached' })
  await expect.poll(() => focused(page)).toMatch(/^Actions for (?!bob\.test)/)
})

test('undo: the button stays while it has the focus, and the key u triggers it', async () => {
  const page = await world.visitor('/sign-in')
  await page.clock.install()
  await page.reload()
  await fillSignIn(page, alice)
  await open(page, 'Inbox', 'Subscriptions')
  const remove = page.getByRole('button', { name: 'Remove bob.test' })
  const undo = page.getByRole('button', { name: 'Undo' })
  await remove.focus()
  await page.keyboard.press('Enter')
  await undo.focus()
  await page.clock.fastForward(60_000)
  expect(await undo.isVisible()).toBe(true)
  await page.keyboard.press('Enter')
  await remove.focus()
  await page.keyboard.press('Enter')
  await undo.waitFor()
  await page.keyboard.press('u')
  await remove.waitFor()
  expect(await undo.count()).toBe(0)

  await remove.focus()
  await page.keyboard.press('Enter')
  await undo.waitFor()
  await page.clock.fastForward(13_000)
  await undo.waitFor({ state: 'detached' })
})

test('keyboard: shortcuts can be turned off', async () => {
  const page = await world.signedIn(alice)
  await page.keyboard.press('?')
  await page.getByRole('switch', { name: 'Enable keyboard shortcuts' }).uncheck()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.type('gs')
  await page.getByRole('link', { name: 'Account', exact: true }).click()
  await heading(page, 'Account').waitFor()
  await page.reload()
  await page.keyboard.press('?')
  expect(await page.getByRole('dialog').count()).toBe(0)
})

test('accessibility tree: navigation and Subscriptions', async () => {
  const page = await world.signedIn(alice, '/subscriptions')
  await page.getByRole('main').getByText('bob.test').waitFor()
  expect(await page.getByRole('navigation', { name: 'Main' }).ariaSnapshot()).toMatchInlineSnapshot(`
    "- navigation "Main":
      - heading "You" [level=2]
      - list:
        - listitem:
          - link "Home":
            - /url: "#/"
        - listitem:
          - link "Search":
            - /url: "#/search"
        - listitem:
          - link "Inbox 1 unread":
            - /url: "#/notifications"
            - text: Inbox
            - img "1 unread": "1"
        - listitem:
          - link "Account":
            - /url: "#/account"
      - heading "This server" [level=2]
      - list:
        - listitem:
          - link "People and invites":
            - /url: "#/accounts"
        - listitem:
          - link "Network":
            - /url: "#/network"
        - listitem:
          - link "Backups":
            - /url: "#/backups"
        - listitem:
          - link "Server":
            - /url: "#/server"
        - listitem:
          - link "Settings":
            - /url: "#/settings""
  `)
  expect(await accessibilityTree(page)).toMatchInlineSnapshot(`
    "- main:
      - navigation "Inbox":
        - list:
          - listitem:
            - link "Inbox":
              - /url: "#/notifications"
          - listitem:
            - link "Subscriptions":
              - /url: "#/subscriptions"
      - heading "Subscriptions" [level=1]
      - paragraph: Get a notification when these people post.
      - text: Handle or DID
      - combobox "Handle or DID"
      - status
      - button "Subscribe"
      - list "Subscriptions":
        - listitem:
          - link "bob.test":
            - /url: "#/people/did:plc:…"
          - switch "Posts" [checked]
          - text: Posts
          - switch "Replies"
          - text: Replies
          - button "Remove bob.test": Remove"
  `)
})

test('accessibility tree: screens with content', async () => {
  const page = await world.signedIn(carol)
  for (const [path, title, ready] of [
    ['/', 'Home', '1 unread notification'],
    ['/notifications', 'Inbox', 'mentioned you'],
    ['/preferences', 'Notifications', 'New followers'],
    ['/apps', 'Apps and sessions', 'Phone'],
  ] as const) {
    await page.goto(`${world.url}/#${path}`)
    await heading(page, title).waitFor()
    await page.getByRole('main').getByText(ready).first().waitFor()
    await expect.poll(() => page.getByText('Loading', { exact: true }).count()).toBe(0)
    expect(await accessibilityTree(page)).toMatchSnapshot(path)
  }
})

test('appearance: the choice survives a reload', async () => {
  const page = await world.signedIn(alice, '/settings', { colorScheme: 'light' })
  await page.getByText('Dark', { exact: true }).click()
  await page.reload()
  await heading(page, 'Settings').waitFor()
  expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark')
})
