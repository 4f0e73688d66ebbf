/** All screens of the desktop: axe, layout and accessibility tree. With a scripted bridge. */
import { beforeEach, describe, expect, test } from 'vitest'
import {
  backups,
  confirmation,
  desktop,
  line,
  reset,
  setupScreens,
  signedIn,
} from '../../support/desktop/desktop-screens.ts'
import {
  accessibilityTree,
  findingsInBothSchemes,
  overflowAt,
  unfold,
} from '../../support/page/accessibility.ts'
import type { Page } from '../../support/page/browser.ts'
import { world } from '../../support/server/setup-ordinary-world.ts'
import { heading } from '../../support/server/world.ts'

setupScreens()

const screens: readonly (readonly [path: string, title: string, ready: readonly string[]])[] = [
  ['/server', 'Server', ['Data folder']],
  // Each from a request of its own.
  ['/network', 'Network', ['No servers yet', 'Nothing is kept yet.', 'All 16 reasons', 'Trusted web pages']],
  ['/outbox', 'Outbox', ['BBBBB-33333']],
  ['/backups', 'Backups', ['2.3 MB']],
  ['/settings', 'Settings', ['Desktop notifications']],
  ['/logs', 'Logs', ['line 3']],
  ['/about', 'About', ['Electron 45.4.1']],
]

const dialogs: readonly (readonly [path: string, button: RegExp])[] = [
  ['/server', /^Stop$/],
  ['/outbox', /^Send a test message$/],
  ['/backups', /^Restore as of/],
  ['/backups', /^Export…$/],
  ['/backups', /^Import…$/],
]

describe('accessibility', () => {
  beforeEach(() => {
    desktop.outbox = [confirmation, reset]
    desktop.backups = backups
    desktop.log = [line(1), line(2, 'warn'), line(3, 'error')]
  })

  async function* eachScreen(page: Page) {
    for (const [path, title, ready] of screens) {
      await page.evaluate(`location.hash = '#${path}'`)
      await heading(page, title).waitFor()
      for (const text of ready) await page.getByRole('main').getByText(text).first().waitFor()
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
      const opener = page.getByRole('main').getByRole('button', { name: button }).first()
      await expect
        .poll(async () => {
          await unfold(page)
          return opener.isVisible()
        })
        .toBe(true)
      await opener.click()
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
