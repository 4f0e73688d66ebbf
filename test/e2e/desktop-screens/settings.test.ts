/** The screens General, Logs and About. With a scripted bridge. */
import { describe, expect, test } from 'vitest'
import { settings } from '../../support/desktop/desktop-bridge.ts'
import { desktop, line, setupScreens, signedIn } from '../../support/desktop/desktop-screens.ts'
import type { Page } from '../../support/page/browser.ts'

setupScreens()

test('settings: a switch that cannot be saved shows the reason and turns back', async () => {
  desktop.handlers['settings.change'] = () => ({ startAtLogin: 'This system has no such list.' })
  const page = await signedIn('/settings')
  const start = page.getByRole('switch', { name: 'Start when I sign in to this computer' })
  await start.click()
  await page.getByText('Not saved. This system has no such list.').waitFor()
  expect(await start.isChecked()).toBe(false)
})

test('settings: the appearance is saved as a desktop setting', async () => {
  desktop.view = { ...desktop.view, settings: { ...settings, theme: 'dark' } }
  const page = await signedIn('/settings')
  const scheme = () => page.evaluate('getComputedStyle(document.documentElement).colorScheme')
  await expect.poll(scheme).toBe('dark')
  await page.getByRole('main').getByText('Light', { exact: true }).click()
  await expect.poll(scheme).toBe('light')
  await expect.poll(() => desktop.callsOf('settings.change')).toEqual([[{ theme: 'light' }]])
  expect(await page.evaluate('localStorage.getItem("pds.theme")')).toBeNull()
  await desktop.emit('settings', { ...desktop.view, settings: { ...settings, theme: 'dark' } })
  await expect.poll(scheme).toBe('dark')
})

describe('logs', () => {
  const shown = (page: Page) => page.getByRole('log').locator('> div')

  test('lines appear live, are filtered by level and text, and copied as shown', async () => {
    desktop.log = [line(1), line(2, 'warn', 'smtp timed out'), line(3, 'debug')]
    const page = await signedIn('/logs')
    await page.getByText('line 3').waitFor()
    desktop.log.push({ ...line(4, 'error', 'smtp refused'), fields: '{"status":550}' })
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
    await expect.poll(() => desktop.callsOf('app.openFolder')).toEqual([['logs']])
  })

  test('2,000 lines are kept, and scrolling up pauses', async () => {
    desktop.log = Array.from({ length: 2000 }, (_, at) => line(at))
    const page = await signedIn('/logs')
    const log = page.getByRole('log')
    await log.getByText('line 1999').waitFor()
    const distance = () => log.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight)
    await expect.poll(distance).toBeLessThan(24)
    desktop.log.push(line(2000))
    await log.getByText('line 2000').waitFor()
    await expect.poll(distance).toBeLessThan(24)
    expect(await shown(page).count()).toBe(2000)
    expect(await log.getByText('line 0', { exact: true }).count()).toBe(0)

    await log.focus()
    await page.keyboard.press('Home')
    await page.getByText('Paused while you scroll.').waitFor()
    desktop.log.push(line(2001))
    await log.getByText('line 2001').waitFor()
    expect(await distance()).toBeGreaterThan(1000)
    await page.getByRole('button', { name: 'Jump to newest' }).click()
    await expect.poll(distance).toBeLessThan(24)
  })
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
  await expect.poll(() => desktop.callsOf('app.openPage')).toEqual([['update'], ['source'], ['notices']])
})

test('about: no source link in a build without a source address', async () => {
  desktop.hasSource = false
  const page = await signedIn('/about')
  await page.getByText('Version 0.1.0').waitFor()
  expect(await page.getByRole('button', { name: 'Open data folder' }).count()).toBe(1)
  expect(await page.getByRole('button', { name: 'Open source code and help' }).count()).toBe(0)
})
