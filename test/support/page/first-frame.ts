/** Waits for the stream of a page that is loaded. */
import type { Page } from './browser.ts'

/** Runs in each document: the stream of the one before may still open while a page reloads, and never deliver. */
const markFirstFrame = `window.WebSocket = class extends WebSocket {
  constructor(...args) {
    super(...args)
    this.addEventListener('message', () => document.documentElement.setAttribute('data-frame', ''))
  }
}`

/** Reloads a page, and waits until its stream has delivered something. */
export async function reloadUntilFrame(page: Page): Promise<void> {
  await page.addInitScript(markFirstFrame)
  await page.reload()
  await page.locator('html[data-frame]').waitFor({ state: 'attached' })
}
