/** The screens that only the desktop has, with a bridge that the spec itself answers. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { LogLine, OutboxMessage, ServerState, StartFailure } from '../../electron/bridge.ts'
import { findings, focused, overflow, toldOf } from '../support/accessibility.ts'
import type { Page } from '../support/browser.ts'
import { done, refused, ScriptedDesktop, settings } from '../support/desktop-bridge.ts'
import type { Account } from '../support/server.ts'
import { mentions, SocialServer } from '../support/social.ts'
import { heading, World } from '../support/world.ts'

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
  desktop = new ScriptedDesktop(world.server.url)
})

afterEach(async () => expect(await world.forget()).toEqual([]))

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
  failure: 'smtp.example.com did not answer.',
}

test('a browser has none of it', async () => {
  const page = await world.signedIn(alice, '/outbox')
  await heading(page, 'Nothing here').waitFor()
  expect(await page.getByRole('heading', { name: 'This computer' }).count()).toBe(0)
})

describe('outbox', () => {
  test('an empty one says what it is for and leads to the mail settings', async () => {
    const page = await signedIn('/outbox')
    await page.getByText('No messages wait here').waitFor()
    await page.getByRole('link', { name: 'Set up a mail server' }).click()
    await heading(page, 'Server').waitFor()
  })

  test('messages come in by themselves, the newest first, and their codes are copied', async () => {
    desktop.outbox = [confirmation]
    const page = await signedIn('/outbox')
    const link = page.getByRole('navigation').getByRole('link', { name: 'Outbox' })
    await link.getByRole('img', { name: '1 message' }).waitFor()
    await desktop.receive(reset)
    await link.getByRole('img', { name: '2 messages' }).waitFor()
    const rows = page.getByRole('list', { name: 'Messages' }).getByRole('listitem')
    expect(await rows.getByRole('heading').allTextContents()).toEqual([reset.subject, confirmation.subject])
    await rows.first().getByText('The mail server did not take it.').waitFor()
    await rows
      .first()
      .getByText(reset.failure ?? '')
      .waitFor()
    await page.getByRole('button', { name: 'Copy code AAAAA-22222' }).click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('AAAAA-22222')
    expect(await page.getByText(confirmation.text).isVisible()).toBe(false)
    await page.getByText('Show the message').last().click()
    await page.getByText(confirmation.text).waitFor()
  })

  test('by keyboard: a deleted message comes back when that is undone', async () => {
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

  test('a test message goes where it is sent, or says why not', async () => {
    const page = await signedIn('/outbox')
    await page.getByRole('button', { name: 'Send a test message' }).click()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('No mail server is set up: the test message is here').waitFor()
    desktop.view = { ...desktop.view, mail: { ...desktop.view.mail, host: 'smtp.example.com' } }
    await desktop.emit('settings', desktop.view)
    await page.getByRole('button', { name: 'Send a test message' }).click()
    const to = page.getByLabel('Send it to')
    expect(await to.inputValue()).toBe(alice.email)
    desktop.answers['outbox.test'] = () => refused('smtp.example.com refused the sender. Change it.')
    await to.fill('somebody@mail.test')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('smtp.example.com refused the sender. Change it.').waitFor()
    desktop.answers['outbox.test'] = () => done(undefined)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('A test message is on its way to somebody@mail.test').waitFor()
    expect(desktop.callsOf('outbox.test').at(-1)).toEqual(['somebody@mail.test'])
  })

  test('whoever needs a code gets at it without losing their place', async () => {
    desktop.outbox = [reset]
    const page = await visitor('/reset')
    await page.getByLabel('Email').fill('bob@mail.test')
    await page.getByRole('button', { name: 'Send code' }).click()
    await page.getByRole('button', { name: 'Look in the outbox' }).click()
    await page.getByRole('dialog', { name: 'Outbox' }).getByText('BBBBB-33333').first().waitFor()
    await page.keyboard.press('Escape')
    await heading(page, 'Set a new password').waitFor()

    await world.forget()
    const account = await signedIn('/account')
    await account.getByRole('button', { name: 'Confirm' }).click()
    await account.getByRole('button', { name: 'Look in the outbox' }).click()
    await account.getByRole('dialog', { name: 'Outbox' }).getByText('BBBBB-33333').first().waitFor()
    await account.keyboard.press('Escape')
    await account.getByRole('dialog', { name: 'Outbox' }).waitFor({ state: 'detached' })
    await account.getByLabel('Code', { exact: true }).waitFor()
  })
})

describe('server', () => {
  test('what is wrong is said at its field, and what is right is saved', async () => {
    const page = await signedIn('/server')
    const port = page.getByLabel('Port', { exact: true })
    const change = desktop.answers['settings.change']
    desktop.answers['settings.change'] = () => ({ port: 'It must be a number up to 65535.' })
    await port.fill('99999')
    await page.getByText('Saving restarts the server').waitFor()
    await page.getByRole('button', { name: 'Save' }).first().click()
    await page.getByText('It must be a number up to 65535.').waitFor()
    await port.and(page.locator(':focus[aria-invalid=true]')).waitFor()

    desktop.answers['settings.change'] = change
    await port.fill('2600')
    await page.getByLabel('Further host names').fill('home.lan')
    await page.keyboard.press('Enter')
    await page.getByText('Saved', { exact: true }).waitFor()
    expect(desktop.callsOf('settings.change').at(-1)).toEqual([{ port: '2600', hostnames: 'home.lan' }])
    expect(await page.getByText('Saving restarts the server').count()).toBe(0)
    await page.getByRole('link', { name: 'Home' }).click()
    await heading(page, 'Home').waitFor()
  })

  test('nothing unsaved is left behind by accident, whatever leads away', async () => {
    const page = await signedIn('/')
    await page.getByRole('link', { name: 'Server', exact: true }).click()
    const domains = page.getByLabel('Handle domains')
    await domains.fill('.example')
    await expect.poll(() => desktop.unsaved).toBe(true)
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    await page.getByRole('link', { name: 'Home' }).click()
    await question.getByRole('button', { name: 'Stay here' }).click()
    expect(await domains.inputValue()).toBe('.example')
    await desktop.emit('navigate', '/notifications')
    await question.waitFor()
    await page.keyboard.press('Escape')
    await page.evaluate('history.go(-3)')
    await question.waitFor()
    await page.keyboard.press('Escape')
    expect(await domains.inputValue()).toBe('.example')
    await page.getByRole('link', { name: 'Sessions' }).click()
    await question.getByRole('button', { name: 'Leave' }).click()
    await heading(page, 'Sessions').waitFor()
    await page.getByRole('link', { name: 'Server', exact: true }).click()
    expect(await domains.inputValue()).toBe('')
    await domains.fill('.example')
    await page.getByRole('button', { name: 'Discard' }).click()
    await expect.poll(() => desktop.unsaved).toBe(false)
    await page.getByRole('link', { name: 'Home' }).click()
    await heading(page, 'Home').waitFor()
  })

  test('the network is let in only after a plain word, and shut out at a touch', async () => {
    const page = await signedIn('/server')
    const access = page.getByRole('switch', { name: 'Other devices on the network can reach it' })
    await access.click()
    const question = page.getByRole('dialog', { name: 'Open the server to the network?' })
    await question.getByText('is not encrypted').waitFor()
    await question.getByRole('button', { name: 'Cancel' }).click()
    expect(await access.isChecked()).toBe(false)
    expect(desktop.callsOf('settings.change')).toEqual([])
    await access.click()
    await question.getByRole('button', { name: 'Open to the network' }).click()
    await page.getByText('The server is open to the network').waitFor()
    expect(await access.isChecked()).toBe(true)
    await access.click()
    await page.getByText('Only this computer reaches the server').waitFor()
    expect(desktop.callsOf('settings.change')).toEqual([
      [{ networkAccess: true }],
      [{ networkAccess: false }],
    ])
  })

  test('a switch that cannot be turned says why and goes back', async () => {
    desktop.answers['settings.change'] = () => ({ startAtLogin: 'This system has no such list.' })
    const page = await signedIn('/server')
    const start = page.getByRole('switch', { name: 'Start when I sign in to this computer' })
    await start.click()
    await page.getByText('Not saved. This system has no such list.').waitFor()
    expect(await start.isChecked()).toBe(false)
  })

  test('mail settings are tried before they are saved; the password never comes back', async () => {
    const page = await signedIn('/server')
    await page.getByLabel('Mail server').fill('smtp.example.com')
    await page.getByLabel('User name').fill('me')
    await page.getByLabel('Password', { exact: true }).fill('geheim')
    await page.getByLabel('Encryption').selectOption('STARTTLS')
    await page.getByRole('button', { name: 'Try it' }).click()
    desktop.answers['mail.test'] = () => refused('The mail server does not know the password. Check it.')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('The mail server does not know the password. Check it.').waitFor()
    desktop.answers['mail.test'] = () => done(undefined)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText(`It works: a message is on its way to ${alice.email}`).waitFor()
    const mail = { host: 'smtp.example.com', user: 'me', security: 'starttls' }
    expect(desktop.callsOf('mail.test').at(-1)).toEqual([
      expect.objectContaining(mail),
      'geheim',
      alice.email,
    ])
    expect(desktop.callsOf('mail.change')).toEqual([])

    await page.getByLabel('Mail server').press('Enter')
    await page.getByText('One is kept. Leave this empty to keep it.').waitFor()
    expect(desktop.callsOf('mail.change')).toEqual([[expect.objectContaining(mail), 'geheim']])
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('')
    desktop.answers['mail.change'] = () => ({ from: 'This is not an address.' })
    await page.getByLabel('Sender').fill('nobody')
    await page.keyboard.press('Enter')
    await page.getByText('This is not an address.').waitFor()
    expect(desktop.callsOf('mail.change').at(-1)).toEqual([
      expect.objectContaining({ from: 'nobody' }),
      undefined,
    ])
  })

  test('it is stopped and started, and a restart is announced while the screen stays', async () => {
    const page = await signedIn('/server')
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('alert').getByText('The server is stopped.').waitFor()
    await page.getByRole('complementary').getByText('Stopped').waitFor()
    await page.getByRole('alert').getByRole('button', { name: 'Start' }).click()
    await page.getByRole('complementary').getByText('Running').waitFor()
    await page.getByLabel('Port', { exact: true }).fill('2601')
    await page.evaluate(`
      announced = []
      new MutationObserver(() => announced.push(document.querySelector('[role=alert]')?.innerText))
        .observe(document.body, { childList: true, subtree: true })
    `)
    await desktop.become({ kind: 'stopping' })
    await desktop.become({ kind: 'stopped' })
    await desktop.become({ kind: 'starting' })
    await page.getByText('The server restarts. Clients reconnect by themselves.').waitFor()
    await desktop.become(desktop.running())
    await page.getByRole('complementary').getByText('Running').waitFor()
    expect(await page.getByLabel('Port', { exact: true }).inputValue()).toBe('2601')
    expect(String(await page.evaluate('announced'))).not.toContain('is stopped')
  })

  test('the appearance is a setting of the desktop', async () => {
    desktop.view = { ...desktop.view, settings: { ...settings, theme: 'dark' } }
    const page = await signedIn('/server')
    const scheme = () => page.evaluate('getComputedStyle(document.documentElement).colorScheme')
    await expect.poll(scheme).toBe('dark')
    await page.getByRole('main').getByText('Light', { exact: true }).click()
    expect(await scheme()).toBe('light')
    expect(desktop.callsOf('settings.change')).toEqual([[{ theme: 'light' }]])
    expect(await page.evaluate('localStorage.getItem("pds.theme")')).toBeNull()
    await desktop.emit('settings', { ...desktop.view, settings: { ...settings, theme: 'dark' } })
    await expect.poll(scheme).toBe('dark')
  })

  test('without a tray there is no closing to it, and without a keyring that is said', async () => {
    desktop.view = { ...desktop.view, hasTray: false, secretProtection: 'plain' }
    const page = await signedIn('/server')
    await page.getByText('This computer offers no keyring').waitFor()
    expect(await page.getByText('Keep running when the window is closed').count()).toBe(0)
    await page.getByRole('button', { name: 'Open folder' }).click()
    expect(desktop.callsOf('app.openFolder')).toEqual([['data']])
  })
})

const backups = [
  { name: 'old', createdAt: '2026-01-01T03:00:00.000Z', bytes: 1_200_000 },
  { name: 'new', createdAt: '2026-01-02T03:00:00.000Z', bytes: 2_345_000 },
]

describe('backups', () => {
  beforeEach(() => {
    desktop.answers['backups.list'] = () => backups
  })

  test('one is made, and each is checked', async () => {
    const page = await signedIn('/backups')
    const rows = page.getByRole('list', { name: 'Backups' }).getByRole('listitem')
    await rows.first().getByText('2.3 MB').waitFor()
    await page.getByRole('button', { name: 'Back up now' }).click()
    await page.getByText('Backup made, 1.2 MB').waitFor()
    desktop.answers['backups.make'] = () => refused('The disk is full. Make room, then try again.')
    await page.getByRole('button', { name: 'Back up now' }).click()
    await page.getByText('The disk is full. Make room, then try again.').waitFor()
    desktop.answers['backups.check'] = (name) =>
      name === 'old' ? refused('Its checksum does not match.') : done(undefined)
    for (const check of await page.getByRole('button', { name: /^Check backup/ }).all()) await check.click()
    await rows.first().getByText('Checked, sound').waitFor()
    await rows.last().getByText('Damaged').waitFor()
    await rows.last().getByText('Its checksum does not match.').waitFor()
  })

  test('by keyboard: one is looked into and restored, and what was there is kept', async () => {
    const page = await signedIn('/backups')
    await page
      .getByRole('button', { name: /^Restore backup/ })
      .first()
      .focus()
    await page.keyboard.press('Enter')
    const question = page.getByRole('dialog', { name: 'Go back to this backup?' })
    await question.getByText('alice.test, bob.test').waitFor()
    await question.getByText('1,204').waitFor()
    await page.getByLabel('Type restore to confirm').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('restor')
    await page.keyboard.press('Enter')
    expect(desktop.callsOf('backups.restore')).toEqual([])
    await page.keyboard.type('e')
    await page.keyboard.press('Enter')
    const told = page.getByRole('dialog', { name: 'The backup is in place' })
    await told.getByText('/home/alice/.local/share/desktop-pds-before').waitFor()
    expect(desktop.callsOf('backups.restore')).toEqual([['new']])
    await page.keyboard.press('Escape')
    await told.waitFor({ state: 'detached' })
  })

  test('one that cannot be read is not restored', async () => {
    desktop.answers['backups.preview'] = () => refused('This file is not a backup.')
    const page = await signedIn('/backups')
    await page
      .getByRole('button', { name: /^Restore backup/ })
      .first()
      .click()
    await page.getByRole('dialog').getByText('This file is not a backup.').waitFor()
    await page.getByLabel('Type restore to confirm').fill('restore')
    expect(await page.getByRole('button', { name: 'Restore', exact: true }).isDisabled()).toBe(true)
  })

  test('everything is saved as one file, with a passphrase or knowingly without', async () => {
    const page = await signedIn('/backups')
    const open = page.getByRole('button', { name: 'Save as a file…' })
    const choose = page.getByRole('button', { name: 'Choose where…' })
    await open.click()
    await page.getByRole('dialog').getByText('holds the keys of every account').waitFor()
    await page.getByLabel('Passphrase', { exact: true }).fill('correct horse battery staple')
    await page.getByRole('dialog').getByText('Strong').waitFor()
    await page.getByLabel('Passphrase again').fill('correct horse')
    await choose.click()
    await page.getByText('The two are not the same.').waitFor()
    expect(desktop.callsOf('backups.export')).toEqual([])
    await page.getByLabel('Passphrase again').fill('correct horse battery staple')
    await choose.click()
    await page.getByText('Saved as /home/alice/server.pds-backup').waitFor()

    await open.click()
    await page.getByRole('switch', { name: 'Save without a passphrase' }).click()
    desktop.answers['backups.export'] = () => done(undefined)
    await choose.click()
    await expect.poll(() => desktop.callsOf('backups.export').length).toBe(2)
    expect(desktop.callsOf('backups.export')).toEqual([['correct horse battery staple'], [undefined]])
    expect(await page.getByRole('dialog').count()).toBe(1)
  })

  test('a file is opened by its passphrase, looked into, and taken over', async () => {
    desktop.answers['backups.previewChosen'] = (passphrase) =>
      passphrase === 'right'
        ? desktop.answers['backups.preview']('')
        : refused('The passphrase is not right.')
    const page = await signedIn('/backups')
    await page.getByRole('button', { name: 'Choose a file…' }).click()
    await page.getByLabel('The passphrase it was saved with').fill('wrong')
    await page.keyboard.press('Enter')
    await page.getByText('The passphrase is not right.').waitFor()
    await page.getByLabel('The passphrase it was saved with').fill('right')
    await page.keyboard.press('Enter')
    await page.getByText('server.pds-backup holds:').waitFor()
    await page.getByLabel('Type restore to confirm').fill('restore')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'The backup is in place' }).waitFor()
    expect(desktop.callsOf('backups.import')).toEqual([['right']])
  })

  test('an open file needs no passphrase, and whoever chose none goes on as before', async () => {
    const page = await signedIn('/backups')
    const choose = page.getByRole('button', { name: 'Choose a file…' })
    desktop.answers['backups.choose'] = () => done(undefined)
    await choose.click()
    await expect.poll(() => desktop.callsOf('backups.choose').length).toBe(1)
    desktop.answers['backups.choose'] = () => done({ file: 'open.pds-backup', encrypted: false })
    await choose.click()
    await page.getByText('open.pds-backup holds:').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(desktop.callsOf('backups.import')).toEqual([])
  })

  test('the owner saves the repository of any account, others their own', async () => {
    const page = await signedIn('/backups')
    const accounts = page.getByLabel('Account', { exact: true })
    await accounts.selectOption(bob.handle)
    await page.getByRole('button', { name: 'Save repository…' }).click()
    await page.getByText('Saved as /home/alice/alice.test.car').waitFor()
    expect(desktop.callsOf('repository.export')).toEqual([[bob.did]])
    await world.forget()
    const other = await signedIn('/backups', {}, [bob])
    expect(await other.getByLabel('Account', { exact: true }).getByRole('option').allTextContents()).toEqual([
      bob.handle,
    ])
  })

  test('any account is one to choose, however many pages the accounts fill', async () => {
    const page = await signedIn('/')
    await page.route('**/*listAccounts*', (route) =>
      route.continue({
        url: route
          .request()
          .url()
          .replace(/limit=\d+/, 'limit=1'),
      }),
    )
    await page.getByRole('link', { name: 'Backups' }).click()
    await page.getByLabel('Account', { exact: true }).selectOption(bob.handle)
  })
})

function line(number: number, level: LogLine['level'] = 'info', message = `line ${number}`): LogLine {
  return { time: new Date(Date.UTC(2026, 0, 1, 10) + number).toISOString(), level, message, fields: '' }
}

describe('logs', () => {
  const shown = (page: Page) => page.getByRole('log').locator('> div')

  test('lines follow as they are written, filtered by level and text, and are copied as shown', async () => {
    desktop.answers['logs.tail'] = () => [line(1), line(2, 'warn', 'smtp did not answer'), line(3, 'debug')]
    const page = await signedIn('/logs')
    await page.getByText('line 3').waitFor()
    await desktop.emit('log', { ...line(4, 'error', 'smtp refused'), fields: '{"status":550}' })
    await page.getByText('smtp refused').waitFor()
    await page.getByLabel('Show').selectOption('Warnings and errors')
    await expect.poll(() => shown(page).count()).toBe(2)
    await page.getByLabel('Find').fill('550')
    await expect.poll(() => shown(page).count()).toBe(1)
    await page.getByRole('button', { name: 'Copy shown lines' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      '2026-01-01T10:00:00.004Z ERROR smtp refused {"status":550}',
    )
    await page.getByLabel('Find').fill('nothing such')
    await page.getByText('No line matches.').waitFor()
    await page.getByRole('button', { name: 'Open folder' }).click()
    expect(desktop.callsOf('app.openFolder')).toEqual([['logs']])
  })

  test('two thousand are kept; whoever scrolls up is left to read', async () => {
    desktop.answers['logs.tail'] = () => Array.from({ length: 2000 }, (_, at) => line(at))
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
    await page.getByText('Stopped here while you read.').waitFor()
    await desktop.emit('log', line(2001))
    await log.getByText('line 2001').waitFor()
    expect(await distance()).toBeGreaterThan(1000)
    await page.getByRole('button', { name: 'To the newest' }).click()
    await expect.poll(distance).toBeLessThan(24)
  })
})

test('in a low window the navigation is scrolled to where somebody is', async () => {
  const page = await signedIn('/about', { height: 500 })
  const navigation = page.getByRole('navigation')
  await navigation.getByRole('link', { name: 'Accounts' }).waitFor()
  const frame = await navigation.boundingBox()
  const link = await navigation.getByRole('link', { name: 'About' }).boundingBox()
  const [end, linkEnd] = [frame, link].map((box) => (box?.y ?? 0) + (box?.height ?? 0))
  expect(linkEnd).toBeLessThanOrEqual(Math.ceil(end ?? 0))
  expect(link?.y).toBeGreaterThan(frame?.y ?? 0)
})

test('what this is, and whether there is a newer one', async () => {
  const page = await signedIn('/about')
  await page.getByText('Version 0.1.0').waitFor()
  await page.getByText('Electron 45.4.1').waitFor()
  await page.getByText('/home/alice/.local/share/desktop-pds').waitFor()
  const check = page.getByRole('button', { name: 'Check now' })
  await check.click()
  await page.getByText('This is the newest version.').waitFor()
  desktop.answers['updates.check'] = () => ({ kind: 'unknown', message: 'example.com did not answer.' })
  await check.click()
  await page.getByText('Could not find out.').waitFor()
  await page.getByText('example.com did not answer.').waitFor()
  const checkedAt = new Date().toISOString()
  desktop.answers['updates.check'] = () => ({
    kind: 'available',
    version: '2.0.0',
    page: 'https://x',
    checkedAt,
  })
  await check.click()
  await page.getByText('Version 2.0.0 is there.').waitFor()
  await page.getByRole('button', { name: 'Open its page' }).click()
  await page.getByRole('button', { name: 'Open source and help' }).click()
  expect(desktop.callsOf('app.openPage')).toEqual([['update'], ['source']])
})

test('a build that does not say where its source is offers none', async () => {
  desktop.hasSource = false
  const page = await signedIn('/about')
  await page.getByText('Version 0.1.0').waitFor()
  expect(await page.getByRole('button', { name: 'Open data folder' }).count()).toBe(1)
  expect(await page.getByRole('button', { name: 'Open source and help' }).count()).toBe(0)
})

describe('when the server does not run', () => {
  const failed = (failure: StartFailure, path?: string): ServerState => ({
    kind: 'failed',
    failure,
    message: `What happened: ${failure}.`,
    port: 2583,
    ...(path === undefined ? {} : { path }),
  })

  test.each([
    ['not-writable', 'The data folder cannot be written to', '/data'],
    ['too-new', 'This data belongs to a newer version', '/data/pds.sqlite'],
    ['already-running', 'The server runs already', '/data'],
    ['other', 'The server could not start', undefined],
  ] as const)('%s has its own words, and is tried again', async (failure, title, path) => {
    desktop.state = failed(failure, path)
    const page = await visitor()
    await heading(page, title).waitFor()
    await page.getByRole('alert').getByText(`What happened: ${failure}.`).waitFor()
    if (path) await page.getByText(path, { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await heading(page, 'Sign in').waitFor()
    expect(desktop.callsOf('server.start')).toEqual([[]])
  })

  test('a taken port is not left silently: the free one and its address are shown first', async () => {
    desktop.state = failed('port-taken')
    desktop.answers['server.freePort'] = () => 2590
    const page = await visitor()
    await heading(page, 'Port 2583 is taken').waitFor()
    await page.getByText('clients must be told the new one').waitFor()
    await page.getByText('http://localhost:2590').waitFor()
    expect(desktop.callsOf('settings.change')).toEqual([])
    await page.getByRole('button', { name: 'Use port 2590 instead' }).click()
    await heading(page, 'Sign in').waitFor()
    expect(desktop.callsOf('settings.change')).toEqual([[{ port: '2590' }]])
  })

  test('damaged data is brought back from a backup right there', async () => {
    desktop.state = failed('damaged', '/data/pds.sqlite')
    desktop.answers['backups.list'] = () => backups
    desktop.answers['backups.restore'] = async () => {
      await desktop.become(desktop.running())
      return done('/data-before')
    }
    const page = await visitor()
    await heading(page, 'A data file is damaged').waitFor()
    await page.getByText('Nothing has been thrown away').waitFor()
    await page
      .getByRole('button', { name: /^Restore backup/ })
      .first()
      .click()
    await page.getByLabel('Type restore to confirm').fill('restore')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'The backup is in place' }).getByText('/data-before').waitFor()
    await page.keyboard.press('Escape')
    await heading(page, 'Sign in').waitFor()
  })

  test('a wrong setting is put right without a server', async () => {
    desktop.state = failed('other')
    const page = await visitor()
    await page.getByRole('link', { name: 'Server' }).click()
    await page.getByLabel('Directory').fill('https://plc.example.com')
    await page.keyboard.press('Enter')
    await page.getByText('Saved', { exact: true }).waitFor()
    for (const [name, title] of [
      ['Logs', 'Logs'],
      ['Backups', 'Backups'],
      ['Outbox', 'Outbox'],
    ] as const) {
      await page.getByRole('link', { name }).click()
      await heading(page, title).waitFor()
    }
    await page.getByRole('link', { name: 'Back to the start' }).click()
    await page.getByRole('button', { name: 'Quit' }).click()
    await expect.poll(() => desktop.callsOf('app.quit').length).toBe(1)
  })

  test('a failure at a restart takes the place of what is shown, and gives it back', async () => {
    const page = await signedIn('/sessions')
    await page.getByText('This session').waitFor()
    await desktop.become(failed('port-taken'))
    await heading(page, 'Port 2583 is taken').waitFor()
    await desktop.become({ kind: 'starting' })
    await page.getByText('The server is starting').waitFor()
    await desktop.become(desktop.running())
    await heading(page, 'Sessions').waitFor()
  })

  test('one that is stopped is started; while it starts nothing flashes', async () => {
    desktop.state = { kind: 'stopped' }
    desktop.answers['server.start'] = () => desktop.state
    const page = await visitor()
    await heading(page, 'The server is stopped').waitFor()
    await page.getByRole('button', { name: 'Start' }).click()
    await desktop.become({ kind: 'starting' })
    await page.getByText('The server is starting').waitFor({ state: 'attached' })
    const delay = 'getComputedStyle(document.querySelector("main")).animationDelay'
    expect(await page.evaluate(delay)).toBe('0.4s')
    await desktop.become(desktop.running())
    await heading(page, 'Sign in').waitFor()
  })
})

test('the desktop leads to a screen, and its icon counts what is unread over all accounts', async () => {
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

test('the first run says where data lives and ends with the address', async () => {
  const fresh = await World.open()
  try {
    const around = new ScriptedDesktop(fresh.server.url)
    const page = await fresh.visitor('/', {}, around)
    await page.getByText('/home/alice/.local/share/desktop-pds').waitFor()
    await page.getByRole('switch', { name: 'Start when I sign in to this computer' }).click()
    await page.getByLabel('Handle').fill('alice')
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
    await page.getByRole('button', { name: 'Create account' }).click()
    const ready = page.getByRole('dialog', { name: 'Your server is ready' })
    await ready.getByText(fresh.server.url).waitFor()
    await ready.getByText('Closing the window keeps the server running').waitFor()
    expect(await findings(page)).toEqual([])
    await ready.getByRole('button', { name: 'Let me in' }).click()
    await heading(page, 'Home').waitFor()
    expect(around.callsOf('settings.change')).toEqual([[{ startAtLogin: true }]])
    expect(await page.evaluate('localStorage.getItem("pds.sessions")')).toBeNull()
    expect(await fresh.forget()).toEqual([])
  } finally {
    await fresh.close()
  }
})

const screens: readonly (readonly [path: string, title: string, ready: string])[] = [
  ['/server', 'Server', 'Data folder'],
  ['/outbox', 'Outbox', 'BBBBB-33333'],
  ['/backups', 'Backups', '2.3 MB'],
  ['/logs', 'Logs', 'line 3'],
  ['/about', 'About', 'Electron 45.4.1'],
]

const dialogs: readonly (readonly [path: string, button: RegExp])[] = [
  ['/server', /^Stop$/],
  ['/outbox', /^Send a test message$/],
  ['/backups', /^Restore backup/],
  ['/backups', /^Save as a file/],
  ['/backups', /^Choose a file/],
]

describe('for everybody', () => {
  beforeEach(() => {
    desktop.outbox = [confirmation, reset]
    desktop.answers['backups.list'] = () => backups
    desktop.answers['logs.tail'] = () => [line(1), line(2, 'warn'), line(3, 'error')]
  })

  async function* eachScreen(page: Page) {
    for (const [path, title, ready] of screens) {
      await page.evaluate(`location.hash = '#${path}'`)
      await heading(page, title).waitFor()
      await page.getByRole('main').getByText(ready).first().waitFor()
      yield path
    }
  }

  test.each(['light', 'dark'] as const)(
    'axe objects to nothing in %s',
    { timeout: 90_000 },
    async (colorScheme) => {
      const page = await signedIn('/', { colorScheme })
      for await (const path of eachScreen(page)) {
        expect({ path, found: await findings(page) }).toEqual({ path, found: [] })
      }
      for (const [path, button] of dialogs) {
        await page.evaluate(`location.hash = '#${path}'`)
        await page.getByRole('main').getByRole('button', { name: button }).first().click()
        await page.getByRole('dialog').waitFor()
        expect({ button, found: await findings(page) }).toEqual({ button, found: [] })
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'detached' })
      }
      await page.goto(`${world.server.url}/#/server`)
      await page.getByRole('switch', { name: /^Other devices/ }).click()
      await page.getByRole('dialog').waitFor()
      expect(await findings(page)).toEqual([])
      await page.keyboard.press('Escape')
      await desktop.become({
        kind: 'failed',
        failure: 'damaged',
        message: 'It is.',
        path: '/data',
        port: 2583,
      })
      await page.goto(`${world.server.url}/#/`)
      await heading(page, 'A data file is damaged').waitFor()
      expect(await findings(page)).toEqual([])
      await page.getByRole('link', { name: 'Logs' }).click()
      await heading(page, 'Logs').waitFor()
      expect(await findings(page)).toEqual([])
    },
  )

  test.each([320, 768, 2560])('nothing is cut off at a width of %i', async (width) => {
    const page = await signedIn('/', { width })
    for await (const path of eachScreen(page)) {
      expect({ path, overflow: await overflow(page) }).toEqual({ path, overflow: 0 })
    }
  })

  test('what assistive technology is told of each', async () => {
    const page = await signedIn()
    for await (const path of eachScreen(page)) {
      expect(await toldOf(page)).toMatchSnapshot(path)
    }
  })
})
