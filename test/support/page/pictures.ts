/** Pictures of the interface for the documentation, in `.github/pictures/`. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator } from 'playwright'
import { t } from '../../../renderer/strings/en.ts'
import type { Page } from './browser.ts'

const folder = join(import.meta.dirname, '../../../.github/pictures')
/** Of WebP, in percent: text stays sharp, and a picture takes about 30 kB. */
const quality = 70
/** Above the part of the page that is at the top, below the head of a narrow window. */
const marginPx = 72

/** Takes a picture of the window as it is. */
export async function takePicture(page: Page, name: string): Promise<void> {
  // No row is shown as hovered.
  await page.mouse.move(0, 0)
  await loaded(page)
  const devtools = await page.context().newCDPSession(page)
  const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality })
  await devtools.detach()
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, `${name}.webp`), Buffer.from(data, 'base64'))
}

/** The network is idle once per page, also before a screen reads what depends on an earlier answer. */
async function loaded(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle')
  await page.getByRole('status').filter({ hasText: t.ui.loading }).first().waitFor({ state: 'detached' })
}

/**
 * Takes pictures in light and dark, at a width of 1280 and of 400.
 * @param at what is at the top of the window; without it the top of the page
 */
export async function takePictures(page: Page, name: string, at?: Locator): Promise<void> {
  await loaded(page)
  for (const width of [1280, 400]) {
    await page.setViewportSize({ width, height: 800 })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.evaluate('scrollTo(0, 0)')
      const box = await at?.boundingBox()
      if (box) await page.evaluate(`scrollTo(0, ${box.y - marginPx})`)
      await takePicture(page, `${name}-${width}-${colorScheme}`)
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.emulateMedia({ colorScheme: 'light' })
}
