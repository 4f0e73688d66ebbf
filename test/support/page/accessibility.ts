/** Accessibility of a page: axe findings, overflow, focus and the accessibility tree. */
import axe, { type AxeResults, type RunOptions } from 'axe-core'
import type { Page } from './browser.ts'

/** Findings of axe (WCAG 2.2 AA and best practices), one line each. */
export function findings(page: Page): Promise<string[]> {
  return run(page, {})
}

/** The findings in the light scheme. In the dark one only the colours differ, so only their rules run again. */
export async function findingsInBothSchemes(page: Page): Promise<string[]> {
  const inLight = await findings(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  const inDark = await run(page, { runOnly: ['color-contrast', 'link-in-text-block'] })
  await page.emulateMedia({ colorScheme: 'light' })
  return [...inLight, ...inDark.map((finding) => `in dark: ${finding}`)]
}

/** Runs axe in the page itself. It is loaded once a document. */
async function run(page: Page, options: RunOptions): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source)
  const all = JSON.stringify({ ...options, resultTypes: ['violations'] })
  const { violations } = await page.evaluate<Pick<AxeResults, 'violations'>>(`axe.run(${all})`)
  return violations.map(
    ({ impact, id, nodes }) => `${impact} ${id}: ${nodes.map(({ html }) => html).join(' ')}`,
  )
}

/** The number of pixels by which the page is wider than the window. */
export function overflow(page: Page): Promise<unknown> {
  return page.evaluate(
    'Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)',
  )
}

/** Sets each width of the window and returns its overflow. */
export async function overflowAt(page: Page, widths: readonly number[]): Promise<unknown[]> {
  const measured: unknown[] = []
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 })
    measured.push(await overflow(page))
  }
  return measured
}

/** Opens all folded parts of the screen. */
export async function unfold(page: Page): Promise<void> {
  await page.evaluate('document.querySelectorAll("main details").forEach((part) => { part.open = true })')
}

/** The accessible name of the focused element. */
export function focused(page: Page): Promise<unknown> {
  return page.evaluate('(document.activeElement.ariaLabel ?? document.activeElement.innerText).trim()')
}

/** The accessibility tree of the screen, with placeholders for DIDs, record keys, ports, times and counts of reads. */
export async function accessibilityTree(page: Page): Promise<string> {
  const tree = await page.getByRole('main').ariaSnapshot()
  return tree
    .replaceAll(/did:plc:[a-z2-7]{24}/g, 'did:plc:…')
    .replaceAll(/\/3[2-7a-z]{12}\b/g, '/…')
    .replaceAll(/(localhost|127\.0\.0\.1):\d+/g, '$1:…')
    .replaceAll(/time: .*/g, 'time: …')
    .replaceAll(/\d+ reads?\b/g, '… reads')
}
