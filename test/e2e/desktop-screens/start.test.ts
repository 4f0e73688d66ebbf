/** Screens of a server that does not run, and the first run. With a scripted bridge. */
import { describe, expect, test } from 'vitest'
import type { ServerState, StartFailure } from '../../../electron/ground/bridge.ts'
import { done, restored, ScriptedDesktop, salvage } from '../../support/desktop/desktop-bridge.ts'
import { backups, desktop, setupScreens, signedIn, visitor } from '../../support/desktop/desktop-screens.ts'
import { findings } from '../../support/page/accessibility.ts'
import { heading, World } from '../../support/server/world.ts'

setupScreens()

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
    ['too-old', 'The data was written before the first release of this app', '/data/pds.sqlite'],
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
    desktop.backups = backups
    desktop.handlers['restore.run'] = async () => {
      await desktop.setState(desktop.running())
      return done({ ...restored, replaced: '/data-before' })
    }
    const page = await visitor()
    await heading(page, 'A data file is damaged').waitFor()
    await page.getByText('The damaged file was set aside').waitFor()
    await page
      .getByRole('button', { name: /^Restore as of/ })
      .first()
      .click()
    await page.getByRole('dialog').getByText('alice.test, bob.test').waitFor()
    await page.getByLabel('Type restore to confirm').fill('restore')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'The server is restored' }).getByText('/data-before').waitFor()
    await page.keyboard.press('Escape')
    await heading(page, 'Sign in').waitFor()
  })

  test('failed start: places that a salvage could not read are named before it', async () => {
    desktop.state = failedState('damaged', '/data/pds.sqlite')
    const unread = ['There is no folder /disk. Connect the disk.']
    desktop.handlers['salvage.preview'] = () => done({ ...salvage, from: 'backup', unread })
    const page = await visitor()
    await page.getByRole('button', { name: 'Open what is intact…' }).click()
    await page.getByRole('dialog').getByText('There is no folder /disk. Connect the disk.').waitFor()
    expect(await findings(page)).toEqual([])
    await page.keyboard.press('Escape')
    await expect.poll(() => desktop.callsOf('restore.cancel')).toEqual([[]])
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
    const page = await signedIn('/apps')
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

test('first run: shows the data folder, says how long the server runs, and ends on Home', async () => {
  const fresh = await World.open()
  try {
    const bridge = new ScriptedDesktop(fresh.url)
    const page = await fresh.visitor('/', {}, bridge)
    await page.getByText('/home/alice/.local/share/desktop-pds').waitFor()
    await page.getByText('The server keeps running when you close the window.').waitFor()
    expect(await findings(page)).toEqual([])
    await page.getByRole('switch', { name: 'Start when I sign in to this computer' }).click()
    await page.getByLabel('Handle').fill('alice')
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
    await page.getByRole('button', { name: 'Create account' }).click()
    await heading(page, 'Home').waitFor()
    await page.getByText('Welcome, alice.test.').waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(bridge.callsOf('settings.change')).toEqual([[{ startAtLogin: true }]])
    expect(await page.evaluate('localStorage.getItem("pds.sessions")')).toBeNull()
    expect(await fresh.closeProfiles()).toEqual([])
  } finally {
    await fresh.close()
  }
})
