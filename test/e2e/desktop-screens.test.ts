/** Screens that exist only in the desktop, with a scripted bridge. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Backup, LogLine, OutboxMessage, ServerState, StartFailure } from '../../electron/bridge.ts'
import {
  accessibilityTree,
  findings,
  findingsInBothSchemes,
  focused,
  overflowAt,
  unfold,
} from '../support/accessibility.ts'
import type { Page } from '../support/browser.ts'
import { done, failed, ScriptedDesktop, settings } from '../support/desktop-bridge.ts'
import type { Account } from '../support/server.ts'
import { mentions, SocialServer } from '../support/social.ts'
import { heading, open, World } from '../support/world.ts'

let world: World
let alice: Account
let bob: Account
let carol: Account
let desktop: ScriptedDesktop

beforeAll(async () => {
  world = await World.open()
  alice = await world.server.account('alice')
  bob = await world.server.account('bob')
  carol = await world.server.account('carol')
})

beforeEach(() => {
  desktop = new ScriptedDesktop(world.url)
})

afterEach(async () => expect(await world.closeProfiles()).toEqual([]))

afterAll(() => world.close())

function signedIn(path = '/', view = {}, accounts = [alice]): Promise<Page> {
  desktop.accounts = accounts
  return visitor(path, view)
}
const visitor = (path = '/', view = {}) => world.visitor(path, view, desktop)

const confirmation: OutboxMessage = {
  id: 'first',
  at: '2026-01-01T10:00:00.000Z',
  to: 'alice@mail.test',
  subject: 'Confirm your email address',
  text: 'Your code is AAAAA-22222.',
  code: 'AAAAA-22222',
}
const reset: OutboxMessage = {
  id: 'second',
  at: '2026-01-02T10:00:00.000Z',
  to: 'bob@mail.test',
  subject: 'Reset your password',
  text: 'Your code is BBBBB-33333.',
  code: 'BBBBB-33333',
  failure: 'smtp.example.com timed out.',
}

test('browser: no desktop screens', async () => {
  const page = await world.signedIn(alice, '/outbox')
  await heading(page, 'Page not found').waitFor()
  expect(await page.getByRole('link', { name: 'Backups' }).count()).toBe(0)
})

test('navigation: nine entries, and tabs for the other screens', async () => {
  const page = await signedIn()
  const links = (navigation: string) => page.getByRole('navigation', { name: navigation }).getByRole('link')
  await links('Main').getByText('People and invites').waitFor()
  expect(await links('Main').allTextContents()).toEqual([
    'Home',
    'Inbox',
    'Subscriptions',
    'Account',
    'People and invites',
    'Network',
    'Backups',
    'Server',
    'Settings',
  ])
  for (const [entry, tabs] of [
    ['Account', ['Account', 'App passwords', 'Sessions', 'Data']],
    ['People and invites', ['People', 'Invites']],
    ['Server', ['Server', 'Outbox']],
    ['Settings', ['General', 'Notifications', 'Logs', 'About']],
  ] as const) {
    await open(page, entry)
    await links(entry).last().waitFor()
    expect(await links(entry).allTextContents()).toEqual(tabs)
    const last = tabs.at(-1) ?? ''
    await open(page, entry, last)
    await heading(page, last).waitFor()
  }
  await open(page, 'Account')
  await page.getByRole('link', { name: 'Service tokens for developers' }).click()
  await heading(page, 'Service tokens').waitFor()
})

describe('outbox', () => {
  test('an empty outbox links to the mail settings', async () => {
    const page = await signedIn('/outbox')
    await page.getByText('The outbox is empty').waitFor()
    await page.getByRole('link', { name: 'Set up a mail server' }).click()
    await heading(page, 'Server').waitFor()
  })

  test('new messages appear first, and codes can be copied', async () => {
    desktop.outbox = [confirmation]
    const page = await signedIn('/outbox')
    const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Server' })
    await link.getByRole('img', { name: '1 message' }).waitFor()
    await desktop.addMessage(reset)
    await link.getByRole('img', { name: '2 messages' }).waitFor()
    const rows = page.getByRole('list', { name: 'Messages' }).getByRole('listitem')
    expect(await rows.getByRole('heading').allTextContents()).toEqual([reset.subject, confirmation.subject])
    await rows.first().getByText('The mail server did not accept this message.').waitFor()
    await rows
      .first()
      .getByText(reset.failure ?? '')
      .waitFor()
    await page.getByRole('button', { name: 'Copy code AAAAA-22222' }).click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('AAAAA-22222')
    expect(await page.getByText(confirmation.text).isVisible()).toBe(false)
    await page.getByText('Show message').last().click()
    await page.getByText(confirmation.text).waitFor()
  })

  test('a banner announces messages until it is dismissed, and again for a new one', async () => {
    desktop.outbox = [confirmation]
    const page = await signedIn()
    const banner = page.getByRole('alert')
    await banner.getByText('A message could not be emailed.').waitFor()
    await banner.getByRole('button', { name: 'Dismiss' }).click()
    await banner.waitFor({ state: 'detached' })
    await desktop.addMessage(reset)
    await banner.getByText('A message could not be emailed.').waitFor()
    await banner.getByRole('link', { name: 'Open outbox' }).click()
    await heading(page, 'Outbox').waitFor()
    expect(await banner.count()).toBe(0)
  })

  test('undo by keyboard restores a deleted message', async () => {
    desktop.outbox = [confirmation, reset]
    const page = await signedIn('/outbox')
    const remove = (name: RegExp) => page.getByRole('button', { name })
    await remove(/^Delete Reset/).focus()
    await page.keyboard.press('Enter')
    await remove(/^Delete Reset/).waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toBe('Delete Confirm your email address to alice@mail.test')
    await page.getByText('Message deleted').waitFor()
    for (let tabs = 0; (await focused(page)) !== 'Undo' && tabs < 6; tabs++) await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await remove(/^Delete Reset/).waitFor()
    expect(desktop.callsOf('outbox.restore')).toEqual([['second']])
  })

  test('a test message is sent, or shows the error', async () => {
    const page = await signedIn('/outbox')
    await page.getByRole('button', { name: 'Send a test message' }).click()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('No mail server is set up. The test message is in the outbox').waitFor()
    desktop.view = { ...desktop.view, mail: { ...desktop.view.mail, host: 'smtp.example.com' } }
    await desktop.emit('settings', desktop.view)
    await page.getByRole('button', { name: 'Send a test message' }).click()
    const to = page.getByLabel('To', { exact: true })
    expect(await to.inputValue()).toBe(alice.email)
    desktop.handlers['outbox.test'] = () => failed('smtp.example.com refused the sender. Change it.')
    await to.fill('carla@mail.test')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('smtp.example.com refused the sender. Change it.').waitFor()
    desktop.handlers['outbox.test'] = () => done(undefined)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('Test message sent to carla@mail.test').waitFor()
    expect(desktop.callsOf('outbox.test').at(-1)).toEqual(['carla@mail.test'])
  })

  test('the outbox opens in a dialog from the code field', async () => {
    desktop.outbox = [reset]
    const page = await visitor('/reset')
    await page.getByLabel('Email').fill('bob@mail.test')
    await page.getByRole('button', { name: 'Send code' }).click()
    await page.getByRole('button', { name: 'Open outbox' }).click()
    await page.getByRole('dialog', { name: 'Outbox' }).getByText('BBBBB-33333').first().waitFor()
    await page.keyboard.press('Escape')
    await heading(page, 'Set a new password').waitFor()

    await world.closeProfiles()
    const account = await signedIn('/account')
    await account.getByRole('button', { name: 'Confirm' }).click()
    await account.getByRole('button', { name: 'Open outbox' }).click()
    await account.getByRole('dialog', { name: 'Outbox' }).getByText('BBBBB-33333').first().waitFor()
    await account.keyboard.press('Escape')
    await account.getByRole('dialog', { name: 'Outbox' }).waitFor({ state: 'detached' })
    await account.getByLabel('Code', { exact: true }).waitFor()
  })
})

describe('server', () => {
  test('an invalid setting shows an error at its field, a valid one is saved', async () => {
    const page = await signedIn('/server')
    const port = page.getByLabel('Port', { exact: true })
    const change = desktop.handlers['settings.change']
    desktop.handlers['settings.change'] = () => ({ port: 'It must be a number up to 65535.' })
    await port.fill('99999')
    await page.getByText('Saving restarts the server').waitFor()
    await page.getByRole('button', { name: 'Save' }).first().click()
    await page.getByText('It must be a number up to 65535.').waitFor()
    await port.and(page.locator(':focus[aria-invalid=true]')).waitFor()

    desktop.handlers['settings.change'] = change
    await port.fill('2600')
    await page.keyboard.press('Enter')
    await page.getByText('Saved', { exact: true }).waitFor()
    expect(desktop.callsOf('settings.change').at(-1)).toEqual([{ port: '2600' }])
    expect(await page.getByText('Saving restarts the server').count()).toBe(0)
    await page.getByRole('link', { name: 'Home' }).click()
    await heading(page, 'Home').waitFor()
  })

  test('leaving with unsaved changes asks first', async () => {
    const page = await signedIn('/')
    await open(page, 'Server')
    const domains = page.getByLabel('Handle domains')
    await domains.fill('.example')
    await expect.poll(() => desktop.unsaved).toBe(true)
    const dialog = page.getByRole('dialog', { name: 'Discard changes?' })
    await page.getByRole('link', { name: 'Home' }).click()
    await expect.poll(() => focused(page)).toBe('Keep editing')
    await page.keyboard.press('Enter')
    expect(await domains.inputValue()).toBe('.example')
    await desktop.emit('navigate', '/notifications')
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await page.evaluate('history.go(-3)')
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    expect(await domains.inputValue()).toBe('.example')
    await open(page, 'Account')
    await dialog.getByRole('button', { name: 'Discard changes' }).click()
    await heading(page, 'Account').waitFor()
    await open(page, 'Server')
    expect(await domains.inputValue()).toBe('')
    await domains.fill('.example')
    await page.getByRole('button', { name: 'Discard' }).click()
    await expect.poll(() => desktop.unsaved).toBe(false)
    await page.getByRole('link', { name: 'Home' }).click()
    await heading(page, 'Home').waitFor()
  })

  test('a switch that cannot be saved shows the reason and turns back', async () => {
    desktop.handlers['settings.change'] = () => ({ startAtLogin: 'This system has no such list.' })
    const page = await signedIn('/settings')
    const start = page.getByRole('switch', { name: 'Start when I sign in to this computer' })
    await start.click()
    await page.getByText('Not saved. This system has no such list.').waitFor()
    expect(await start.isChecked()).toBe(false)
  })

  test('mail settings are tested before saving, and the password is never shown again', async () => {
    const page = await signedIn('/server')
    await page.getByLabel('Mail server').fill('smtp.example.com')
    await page.getByLabel('User name').fill('me')
    await page.getByLabel('Password', { exact: true }).fill('geheim')
    await page.getByLabel('Encryption').selectOption('STARTTLS')
    await page.getByRole('button', { name: 'Send a test' }).click()
    desktop.handlers['mail.test'] = () => failed('The mail server rejected the password. Check it.')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('The mail server rejected the password. Check it.').waitFor()
    desktop.handlers['mail.test'] = () => done(undefined)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText(`Test message sent to ${alice.email}`).waitFor()
    const mail = { host: 'smtp.example.com', user: 'me', security: 'starttls' }
    expect(desktop.callsOf('mail.test').at(-1)).toEqual([
      expect.objectContaining(mail),
      'geheim',
      alice.email,
    ])
    expect(desktop.callsOf('mail.change')).toEqual([])

    await page.getByLabel('Mail server').press('Enter')
    await page.getByText('A password is saved. Leave empty to keep it.').waitFor()
    expect(desktop.callsOf('mail.change')).toEqual([[expect.objectContaining(mail), 'geheim']])
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('')
    desktop.handlers['mail.change'] = () => ({ from: 'This is not an address.' })
    await page.getByLabel('Sender').fill('unknown')
    await page.keyboard.press('Enter')
    await page.getByText('This is not an address.').waitFor()
    expect(desktop.callsOf('mail.change').at(-1)).toEqual([
      expect.objectContaining({ from: 'unknown' }),
      undefined,
    ])

    const remove = page.getByRole('switch', { name: 'Remove the saved password' })
    await remove.check()
    expect(await page.getByLabel('Password', { exact: true }).isDisabled()).toBe(true)
    desktop.handlers['mail.change'] = (changed) => {
      desktop.view = { ...desktop.view, mail: changed, hasMailPassword: false }
      return {}
    }
    await page.getByLabel('Sender').press('Enter')
    await remove.waitFor({ state: 'detached' })
    expect(desktop.callsOf('mail.change').at(-1)?.[1]).toBe('')
  })

  test('stop and start work, and a restart keeps the screen and is announced', async () => {
    const page = await signedIn('/server')
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('alert').getByText('The server is stopped.').waitFor()
    await page.getByRole('complementary').getByText('Stopped').waitFor()
    await page.getByRole('alert').getByRole('button', { name: 'Start' }).click()
    await page.getByRole('complementary').getByText('Running').waitFor()
    await page.getByLabel('Port', { exact: true }).fill('2601')
    await page.evaluate(`
      announcements = []
      new MutationObserver(() => announcements.push(document.querySelector('[role=alert]')?.innerText))
        .observe(document.body, { childList: true, subtree: true })
    `)
    await desktop.setState({ kind: 'stopping' })
    await desktop.setState({ kind: 'stopped' })
    await desktop.setState({ kind: 'starting' })
    await page.getByText('The server is restarting. Clients reconnect automatically.').waitFor()
    expect(await page.getByRole('button', { name: 'Stop' }).isDisabled()).toBe(true)
    await desktop.setState(desktop.running())
    await page.getByRole('complementary').getByText('Running').waitFor()
    expect(await page.getByLabel('Port', { exact: true }).inputValue()).toBe('2601')
    expect(String(await page.evaluate('announcements'))).not.toContain('is stopped')
  })

  test('the appearance is saved as a desktop setting', async () => {
    desktop.view = { ...desktop.view, settings: { ...settings, theme: 'dark' } }
    const page = await signedIn('/settings')
    const scheme = () => page.evaluate('getComputedStyle(document.documentElement).colorScheme')
    await expect.poll(scheme).toBe('dark')
    await page.getByRole('main').getByText('Light', { exact: true }).click()
    expect(await scheme()).toBe('light')
    expect(desktop.callsOf('settings.change')).toEqual([[{ theme: 'light' }]])
    expect(await page.evaluate('localStorage.getItem("pds.theme")')).toBeNull()
    await desktop.emit('settings', { ...desktop.view, settings: { ...settings, theme: 'dark' } })
    await expect.poll(scheme).toBe('dark')
  })

  test('the tray setting is hidden without a tray, and a warning appears without a keyring', async () => {
    desktop.view = { ...desktop.view, hasTray: false, secretProtection: 'plain' }
    const page = await signedIn('/server')
    await page.getByText('No system keyring is available.').waitFor()
    await page.getByRole('button', { name: 'Open folder' }).click()
    expect(desktop.callsOf('app.openFolder')).toEqual([['data']])
    await open(page, 'Settings')
    await page.getByRole('switch', { name: 'Start when I sign in to this computer' }).waitFor()
    expect(await page.getByText('Keep running when the window is closed').count()).toBe(0)
  })
})

const backups: readonly Backup[] = [
  { name: 'old', kind: 'upgrade', createdAt: '2026-01-01T03:00:00.000Z', bytes: 1_200_000 },
  { name: 'new', kind: 'manual', createdAt: '2026-01-02T03:00:00.000Z', bytes: 2_345_000 },
]

describe('backups', () => {
  beforeEach(() => {
    desktop.handlers['backups.list'] = () => backups
  })

  test('their size is part of the storage on Home', async () => {
    const page = await signedIn('/')
    const meter = page.getByRole('meter', { name: 'Backups of the server' })
    await expect.poll(() => meter.getAttribute('value')).toBe('3545000')
    await page.getByRole('link', { name: 'Backups of the server' }).click()
    await heading(page, 'Backups').waitFor()
  })

  test('a backup is created, and each can be verified', async () => {
    const page = await signedIn('/backups')
    const rows = page.getByRole('list', { name: 'Backups' }).getByRole('listitem')
    await rows
      .first()
      .getByText(/^Created by you · .* · 2.3 MB$/)
      .waitFor()
    await rows
      .last()
      .getByText(/^Before an update · /)
      .waitFor()
    await page.getByRole('button', { name: 'Back up now' }).click()
    await page.getByText('Backup created, 1.2 MB').waitFor()
    desktop.handlers['backups.make'] = () => failed('The disk is full. Make room, then try again.')
    await page.getByRole('button', { name: 'Back up now' }).click()
    await page.getByText('The disk is full. Make room, then try again.').waitFor()
    desktop.handlers['backups.check'] = (name) =>
      name === 'old' ? failed('Its checksum does not match.') : done(undefined)
    for (const check of await page.getByRole('button', { name: /^Test backup/ }).all()) await check.click()
    await rows
      .first()
      .getByText(/^Tested /)
      .waitFor()
    await rows.last().getByText('Damaged').waitFor()
    await rows.last().getByText('Its checksum does not match.').waitFor()
  })

  test('when a backup was last tested is shown, and why another is not', async () => {
    const [old, made] = backups as [Backup, Backup]
    const provenAt = '2026-01-02T04:00:00.000Z'
    desktop.handlers['backups.list'] = () => [old, { ...made, proof: { provenAt } }]
    const page = await signedIn('/backups')
    const main = page.getByRole('main')
    const rows = page.getByRole('list', { name: 'Backups' }).getByRole('listitem')
    await main.getByText('Last successful test: ').waitFor()
    expect(await rows.first().innerText()).toMatch(/Tested .* ago.*Test again/s)
    expect(await rows.last().innerText()).not.toMatch(/Tested|restorable/)

    const problem = 'The repository of alice.test is damaged: the record org.example.thing/one was changed.'
    desktop.handlers['backups.check'] = () => failed(`Not restorable: ${problem}`)
    desktop.handlers['backups.list'] = () => [old, { ...made, proof: { provenAt, problem } }]
    await rows
      .first()
      .getByRole('button', { name: /^Test backup/ })
      .click()
    await rows.first().getByText(`Not restorable: ${problem}`).waitFor()
    await main.getByText(`The newest backup is not restorable: ${problem} Last successful test: `).waitFor()
    expect(await rows.first().innerText()).toContain('Damaged')
  })

  test('a backup is previewed and restored by keyboard, and the previous data is kept', async () => {
    const page = await signedIn('/backups')
    await page
      .getByRole('button', { name: /^Restore backup/ })
      .first()
      .focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Restore this backup?' })
    await dialog.getByText('alice.test, bob.test').waitFor()
    await dialog.getByText('1,204').waitFor()
    await page.getByLabel('Type restore to confirm').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('restor')
    await page.keyboard.press('Enter')
    expect(desktop.callsOf('backups.restore')).toEqual([])
    await page.keyboard.type('e')
    await page.keyboard.press('Enter')
    const restored = page.getByRole('dialog', { name: 'Backup restored' })
    await restored.getByText('/home/alice/.local/share/desktop-pds-before').waitFor()
    expect(desktop.callsOf('backups.restore')).toEqual([['new']])
    await page.keyboard.press('Escape')
    await restored.waitFor({ state: 'detached' })
  })

  test('replaced data is listed with the date of its deletion, and deleted after a confirmation', async () => {
    const older = { name: 'replaced-1', replacedAt: '2026-01-01T12:00:00.000Z', bytes: 1_200_000 }
    const newer = { name: 'replaced-2', replacedAt: '2026-01-10T12:00:00.000Z', bytes: 2_000_000 }
    let replaced = [
      { ...newer, keptUntil: '2026-02-09T12:00:00.000Z' },
      { ...older, keptUntil: '2026-01-31T12:00:00.000Z' },
    ]
    desktop.handlers['backups.replaced'] = () => replaced
    const page = await signedIn('/backups')
    const rows = page.getByRole('list', { name: 'Replaced data' }).getByRole('listitem')
    await rows
      .last()
      .getByText(/^1.2 MB · Deleted on .*31.*2026/)
      .waitFor()
    const open = rows.last().getByRole('button', { name: /^Delete data replaced on/ })
    await open.click()
    const dialog = page.getByRole('dialog', { name: 'Delete this data?' })
    await dialog.getByText('cannot be restored').waitFor()
    expect(await findings(page)).toEqual([])
    await page.keyboard.press('Escape')
    expect(desktop.callsOf('backups.forget')).toEqual([])
    await open.click()
    desktop.handlers['backups.forget'] = () => failed('The folder replaced-1 no longer exists.')
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog.getByText('The folder replaced-1 no longer exists.').waitFor()
    desktop.handlers['backups.forget'] = (name) => {
      replaced = replaced.filter((folder) => folder.name !== name)
      return done(undefined)
    }
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('Replaced data deleted').waitFor()
    await expect.poll(() => rows.count()).toBe(1)
    expect(desktop.callsOf('backups.forget')).toEqual([['replaced-1'], ['replaced-1']])
  })

  test('a backup that cannot be read cannot be restored', async () => {
    desktop.handlers['backups.preview'] = () => failed('This file is not a backup.')
    const page = await signedIn('/backups')
    await page
      .getByRole('button', { name: /^Restore backup/ })
      .first()
      .click()
    await page.getByRole('dialog').getByText('This file is not a backup.').waitFor()
    await page.getByLabel('Type restore to confirm').fill('restore')
    expect(await page.getByRole('button', { name: 'Restore', exact: true }).isDisabled()).toBe(true)
  })

  test('export needs a passphrase or an explicit choice of none', async () => {
    const page = await signedIn('/backups')
    const open = page.getByRole('button', { name: 'Export…' })
    const choose = page.getByRole('button', { name: 'Choose location…' })
    await open.click()
    await page.getByRole('dialog').getByText('contains the keys of all accounts').waitFor()
    await page.getByLabel('Passphrase', { exact: true }).fill('correct horse battery staple')
    await page.getByRole('dialog').getByText('Strong').waitFor()
    await page.getByLabel('Repeat passphrase').fill('correct horse')
    await choose.click()
    await page.getByText('The passphrases do not match.').waitFor()
    expect(desktop.callsOf('backups.export')).toEqual([])
    await page.getByLabel('Repeat passphrase').fill('correct horse battery staple')
    await choose.click()
    await page.getByText('Saved to /home/alice/server.age').waitFor()

    await open.click()
    await page.getByRole('switch', { name: 'Export without encryption' }).click()
    desktop.handlers['backups.export'] = () => done(undefined)
    await choose.click()
    await expect.poll(() => desktop.callsOf('backups.export').length).toBe(2)
    expect(desktop.callsOf('backups.export')).toEqual([['correct horse battery staple'], [undefined]])
    expect(await page.getByRole('dialog').count()).toBe(1)
  })

  test('an encrypted file is opened, previewed and imported', async () => {
    desktop.handlers['backups.previewChosen'] = (passphrase) =>
      passphrase === 'right' ? desktop.handlers['backups.preview']('') : failed('Wrong passphrase.')
    const page = await signedIn('/backups')
    await page.getByRole('button', { name: 'Import…' }).click()
    await page.getByLabel('Passphrase of the file').fill('wrong')
    await page.keyboard.press('Enter')
    await page.getByText('Wrong passphrase.').waitFor()
    await page.getByLabel('Passphrase of the file').fill('right')
    await page.keyboard.press('Enter')
    await page.getByText('server.age contains:').waitFor()
    await page.getByLabel('Type restore to confirm').fill('restore')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Backup restored' }).waitFor()
    expect(desktop.callsOf('backups.import')).toEqual([['right']])
  })

  test('an unencrypted file needs no passphrase, and cancelling the file dialog does nothing', async () => {
    const page = await signedIn('/backups')
    const choose = page.getByRole('button', { name: 'Import…' })
    desktop.handlers['backups.choose'] = () => done(undefined)
    await choose.click()
    await expect.poll(() => desktop.callsOf('backups.choose').length).toBe(1)
    desktop.handlers['backups.choose'] = () => done({ file: 'server.sqlite', encrypted: false })
    await choose.click()
    await page.getByText('server.sqlite contains:').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(desktop.callsOf('backups.import')).toEqual([])
  })

  test('the owner exports the repository of any account, others their own', async () => {
    const page = await signedIn('/backups')
    const accounts = page.getByLabel('Account', { exact: true })
    await accounts.selectOption(bob.handle)
    await page.getByRole('button', { name: 'Export repository…' }).click()
    await page.getByText('Saved to /home/alice/alice.test.car').waitFor()
    expect(desktop.callsOf('repository.export')).toEqual([[bob.did]])
    await world.closeProfiles()
    const other = await signedIn('/backups', {}, [bob])
    expect(await other.getByLabel('Account', { exact: true }).getByRole('option').allTextContents()).toEqual([
      bob.handle,
    ])
  })

  test('the account choice covers all pages of accounts', async () => {
    const page = await signedIn('/')
    await page.route('**/*listAccounts*', (route) =>
      route.continue({
        url: route
          .request()
          .url()
          .replace(/limit=\d+/, 'limit=1'),
      }),
    )
    await page.getByRole('link', { name: 'Backups', exact: true }).click()
    await page.getByLabel('Account', { exact: true }).selectOption(bob.handle)
  })
})

function line(number: number, level: LogLine['level'] = 'info', message = `line ${number}`): LogLine {
  return { time: new Date(Date.UTC(2026, 0, 1, 10) + number).toISOString(), level, message, fields: '' }
}

describe('logs', () => {
  const shown = (page: Page) => page.getByRole('log').locator('> div')

  test('lines appear live, are filtered by level and text, and copied as shown', async () => {
    desktop.handlers['logs.tail'] = () => [line(1), line(2, 'warn', 'smtp timed out'), line(3, 'debug')]
    const page = await signedIn('/logs')
    await page.getByText('line 3').waitFor()
    await desktop.emit('log', { ...line(4, 'error', 'smtp refused'), fields: '{"status":550}' })
    await page.getByText('smtp refused').waitFor()
    await page.getByLabel('Show').selectOption('Warnings and errors')
    await expect.poll(() => shown(page).count()).toBe(2)
    await page.getByLabel('Search').fill('550')
    await expect.poll(() => shown(page).count()).toBe(1)
    await page.getByRole('button', { name: 'Copy shown lines' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      '2026-01-01T10:00:00.004Z ERROR smtp refused {"status":550}',
    )
    await page.getByLabel('Search').fill('nothing such')
    await page.getByText('No matching lines.').waitFor()
    await page.getByRole('button', { name: 'Open folder' }).click()
    expect(desktop.callsOf('app.openFolder')).toEqual([['logs']])
  })

  test('2,000 lines are kept, and scrolling up pauses', async () => {
    desktop.handlers['logs.tail'] = () => Array.from({ length: 2000 }, (_, at) => line(at))
    const page = await signedIn('/logs')
    const log = page.getByRole('log')
    await log.getByText('line 1999').waitFor()
    const distance = () => log.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight)
    await expect.poll(distance).toBeLessThan(24)
    await desktop.emit('log', line(2000))
    await log.getByText('line 2000').waitFor()
    await expect.poll(distance).toBeLessThan(24)
    expect(await shown(page).count()).toBe(2000)
    expect(await log.getByText('line 0', { exact: true }).count()).toBe(0)

    await log.focus()
    await page.keyboard.press('Home')
    await page.getByText('Paused while you scroll.').waitFor()
    await desktop.emit('log', line(2001))
    await log.getByText('line 2001').waitFor()
    expect(await distance()).toBeGreaterThan(1000)
    await page.getByRole('button', { name: 'Jump to newest' }).click()
    await expect.poll(distance).toBeLessThan(24)
  })
})

test('navigation: in a low window it scrolls to the current screen', async () => {
  const page = await signedIn('/about', { height: 500 })
  const navigation = page.getByRole('navigation', { name: 'Main' })
  await navigation.getByRole('link', { name: 'People and invites' }).waitFor()
  const frame = await navigation.boundingBox()
  const link = await navigation.getByRole('link', { name: 'Settings' }).boundingBox()
  const [end, linkEnd] = [frame, link].map((box) => (box?.y ?? 0) + (box?.height ?? 0))
  expect(linkEnd).toBeLessThanOrEqual(Math.ceil(end ?? 0))
  expect(link?.y).toBeGreaterThan(frame?.y ?? 0)
})

test('about: shows versions and checks for updates', async () => {
  const page = await signedIn('/about')
  await page.getByText('Version 0.1.0').waitFor()
  await page.getByText('Electron 45.4.1').waitFor()
  await page.getByText('/home/alice/.local/share/desktop-pds').waitFor()
  const check = page.getByRole('button', { name: 'Check for updates' })
  await check.click()
  await page.getByText('You have the latest version').waitFor()
  desktop.handlers['updates.check'] = () => ({ kind: 'unknown', message: 'example.com timed out.' })
  await check.click()
  await page.getByText('Could not check for updates').waitFor()
  await page.getByText('example.com timed out.').waitFor()
  const checkedAt = new Date().toISOString()
  desktop.handlers['updates.check'] = () => ({
    kind: 'available',
    version: '2.0.0',
    page: 'https://x',
    checkedAt,
  })
  await check.click()
  await page.getByText('Version 2.0.0 is available').waitFor()
  await page.getByRole('button', { name: 'Open download page' }).click()
  await page.getByRole('button', { name: 'Open source code and help' }).click()
  await page.getByRole('button', { name: 'Open third-party licenses' }).click()
  expect(desktop.callsOf('app.openPage')).toEqual([['update'], ['source'], ['notices']])
})

test('about: no source link in a build without a source address', async () => {
  desktop.hasSource = false
  const page = await signedIn('/about')
  await page.getByText('Version 0.1.0').waitFor()
  expect(await page.getByRole('button', { name: 'Open data folder' }).count()).toBe(1)
  expect(await page.getByRole('button', { name: 'Open source code and help' }).count()).toBe(0)
})

describe('server not running', () => {
  const failedState = (failure: StartFailure, path?: string): ServerState => ({
    kind: 'failed',
    failure,
    message: `What happened: ${failure}.`,
    port: 2583,
    ...(path === undefined ? {} : { path }),
  })

  test.each([
    ['not-writable', 'The data folder is not writable', '/data'],
    ['too-new', 'The data was written by a newer version of this app', '/data/pds.sqlite'],
    ['too-old', 'The data was written by a version that is no longer supported', '/data/pds.sqlite'],
    ['already-running', 'The server is already running', '/data'],
    ['other', 'The server could not start', undefined],
  ] as const)('failed start: %s has its own screen, and can be retried', async (failure, title, path) => {
    desktop.state = failedState(failure, path)
    const page = await visitor()
    await heading(page, title).waitFor()
    await page.getByRole('alert').getByText(`What happened: ${failure}.`).waitFor()
    if (path) await page.getByText(path, { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await heading(page, 'Sign in').waitFor()
    expect(desktop.callsOf('server.start')).toEqual([[]])
  })

  test('failed start: a port in use is changed only after showing the new address', async () => {
    desktop.state = failedState('port-taken')
    desktop.handlers['server.freePort'] = () => 2590
    const page = await visitor()
    await heading(page, 'Port 2583 is in use').waitFor()
    await page.getByText('so update it in your clients').waitFor()
    await page.getByText('http://localhost:2590').waitFor()
    expect(desktop.callsOf('settings.change')).toEqual([])
    await page.getByRole('button', { name: 'Use port 2590' }).click()
    await heading(page, 'Sign in').waitFor()
    expect(desktop.callsOf('settings.change')).toEqual([[{ port: '2590' }]])
  })

  test('failed start: damaged data can be restored from a backup', async () => {
    desktop.state = failedState('damaged', '/data/pds.sqlite')
    desktop.handlers['backups.list'] = () => backups
    desktop.handlers['backups.restore'] = async () => {
      await desktop.setState(desktop.running())
      return done('/data-before')
    }
    const page = await visitor()
    await heading(page, 'A data file is damaged').waitFor()
    await page.getByText('The damaged file was set aside').waitFor()
    await page
      .getByRole('button', { name: /^Restore backup/ })
      .first()
      .click()
    await page.getByLabel('Type restore to confirm').fill('restore')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Backup restored' }).getByText('/data-before').waitFor()
    await page.keyboard.press('Escape')
    await heading(page, 'Sign in').waitFor()
  })

  test('failed start: settings can be changed without a server', async () => {
    desktop.state = failedState('other')
    const page = await visitor()
    await page.getByRole('link', { name: 'Network' }).click()
    await page.getByRole('heading', { name: 'Services' }).click()
    await page.getByLabel('PLC directory').fill('https://plc.example.com')
    await page.keyboard.press('Enter')
    await page.getByText('Saved', { exact: true }).waitFor()
    for (const name of ['Backups', 'Settings', 'Logs', 'Server', 'Outbox']) {
      await page.getByRole('link', { name }).click()
      await heading(page, name).waitFor()
    }
    await page.getByRole('link', { name: 'Back', exact: true }).click()
    await page.getByRole('button', { name: 'Quit' }).click()
    await expect.poll(() => desktop.callsOf('app.quit').length).toBe(1)
  })

  test('failed start: a failed restart replaces the screen, and a later start brings it back', async () => {
    const page = await signedIn('/sessions')
    await page.getByText('This session').waitFor()
    await desktop.setState(failedState('port-taken'))
    await heading(page, 'Port 2583 is in use').waitFor()
    await desktop.setState({ kind: 'starting' })
    await page.getByText('Starting the server').waitFor()
    await desktop.setState(desktop.running())
    await heading(page, 'Sessions').waitFor()
  })

  test('stopped server: it can be started, and the progress screen appears after a delay', async () => {
    desktop.state = { kind: 'stopped' }
    desktop.handlers['server.start'] = () => desktop.state
    const page = await visitor()
    await heading(page, 'The server is stopped').waitFor()
    await page.getByRole('button', { name: 'Start' }).click()
    await desktop.setState({ kind: 'starting' })
    await page.getByText('Starting the server').waitFor({ state: 'attached' })
    const delay = 'getComputedStyle(document.querySelector("main")).animationDelay'
    expect(await page.evaluate(delay)).toBe('0.4s')
    await desktop.setState(desktop.running())
    await heading(page, 'Sign in').waitFor()
  })
})

test('desktop events: navigation opens a screen, and the badge counts unread of all accounts', async () => {
  const social = SocialServer.on(world.server)
  await social.post(carol, { text: 'Good morning', ...mentions(alice) })
  await social.follow(carol, bob)
  const page = await signedIn('/', {}, [alice, bob])
  await expect.poll(() => desktop.unread).toBe(2)
  await desktop.emit('navigate', '/notifications')
  await heading(page, 'Inbox').waitFor()
  await page.getByRole('button', { name: 'Mark all as read' }).click()
  await expect.poll(() => desktop.unread).toBe(1)
})

test('first run: shows the data folder and ends with the address', async () => {
  const fresh = await World.open()
  try {
    const bridge = new ScriptedDesktop(fresh.url)
    const page = await fresh.visitor('/', {}, bridge)
    await page.getByText('/home/alice/.local/share/desktop-pds').waitFor()
    await page.getByRole('switch', { name: 'Start when I sign in to this computer' }).click()
    await page.getByLabel('Handle').fill('alice')
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
    await page.getByRole('button', { name: 'Create account' }).click()
    const ready = page.getByRole('dialog', { name: 'Your server is ready' })
    await ready.getByText(fresh.url).waitFor()
    await ready.getByText('The server keeps running when you close the window.').waitFor()
    expect(await findings(page)).toEqual([])
    await ready.getByRole('button', { name: 'Continue' }).click()
    await heading(page, 'Home').waitFor()
    expect(bridge.callsOf('settings.change')).toEqual([[{ startAtLogin: true }]])
    expect(await page.evaluate('localStorage.getItem("pds.sessions")')).toBeNull()
    expect(await fresh.closeProfiles()).toEqual([])
  } finally {
    await fresh.close()
  }
})

const screens: readonly (readonly [path: string, title: string, ready: string])[] = [
  ['/server', 'Server', 'Data folder'],
  ['/network', 'Network', 'Services'],
  ['/outbox', 'Outbox', 'BBBBB-33333'],
  ['/backups', 'Backups', '2.3 MB'],
  ['/settings', 'Settings', 'Desktop notifications'],
  ['/logs', 'Logs', 'line 3'],
  ['/about', 'About', 'Electron 45.4.1'],
]

const dialogs: readonly (readonly [path: string, button: RegExp])[] = [
  ['/server', /^Stop$/],
  ['/outbox', /^Send a test message$/],
  ['/backups', /^Restore backup/],
  ['/backups', /^Export…$/],
  ['/backups', /^Import…$/],
]

describe('accessibility', () => {
  beforeEach(() => {
    desktop.outbox = [confirmation, reset]
    desktop.handlers['backups.list'] = () => backups
    desktop.handlers['logs.tail'] = () => [line(1), line(2, 'warn'), line(3, 'error')]
  })

  async function* eachScreen(page: Page) {
    for (const [path, title, ready] of screens) {
      await page.evaluate(`location.hash = '#${path}'`)
      await heading(page, title).waitFor()
      await page.getByRole('main').getByText(ready).first().waitFor()
      await expect.poll(() => page.getByRole('status').filter({ hasText: 'Loading' }).count()).toBe(0)
      await unfold(page)
      yield path
    }
  }

  test('axe: no findings', async () => {
    const page = await signedIn('/')
    for await (const path of eachScreen(page)) {
      expect({ path, findings: await findingsInBothSchemes(page) }).toEqual({ path, findings: [] })
    }
    for (const [path, button] of dialogs) {
      await page.evaluate(`location.hash = '#${path}'`)
      await page.getByRole('main').getByRole('button', { name: button }).first().click()
      await page.getByRole('dialog').waitFor()
      expect({ button, findings: await findingsInBothSchemes(page) }).toEqual({ button, findings: [] })
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    await page.goto(`${world.url}/#/network`)
    await page.getByRole('radio', { name: 'Local network' }).click()
    await page.getByRole('dialog').waitFor()
    expect(await findingsInBothSchemes(page)).toEqual([])
    await page.keyboard.press('Escape')
    await desktop.setState({
      kind: 'failed',
      failure: 'damaged',
      message: 'It is.',
      path: '/data',
      port: 2583,
    })
    await page.goto(`${world.url}/#/`)
    await heading(page, 'A data file is damaged').waitFor()
    expect(await findingsInBothSchemes(page)).toEqual([])
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('link', { name: 'Logs' }).click()
    await heading(page, 'Logs').waitFor()
    expect(await findingsInBothSchemes(page)).toEqual([])
  })

  test('layout: no horizontal overflow at a width of 320, 768 and 2560', async () => {
    const page = await signedIn('/')
    for await (const path of eachScreen(page)) {
      expect({ path, overflow: await overflowAt(page, [2560, 768, 320]) }).toEqual({
        path,
        overflow: [0, 0, 0],
      })
    }
  })

  test('accessibility tree: each screen', async () => {
    const page = await signedIn()
    for await (const path of eachScreen(page)) {
      expect(await accessibilityTree(page)).toMatchSnapshot(path)
    }
  })
})
