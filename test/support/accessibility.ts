/** Accessibility of a page: axe findings, overflow, focus and the accessibility tree. */
import AxeBuilder from '@axe-core/playwright'
import type { Page } from './browser.ts'

/** Findings of axe (WCAG 2.2 AA and best practices), one line each. */
export async function findings(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze()
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

/** The accessible name of the focused element. */
export function focused(page: Page): Promise<unknown> {
  return page.evaluate('(document.activeElement.ariaLabel ?? document.activeElement.innerText).trim()')
}

/** The accessibility tree of the screen, with placeholders for DIDs, record keys, ports and times. */
export async function accessibilityTree(page: Page): Promise<string> {
  const tree = await page.getByRole('main').ariaSnapshot()
  return tree
    .replaceAll(/did:plc:[a-z2-7]{24}/g, 'did:plc:…')
    .replaceAll(/\/3[2-7a-z]{12}\b/g, '/…')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:…')
    .replaceAll(/time: .*/g, 'time: …')
}
