/** What a page is like for those who do not see it or do not use a mouse. */
import AxeBuilder from '@axe-core/playwright'
import type { Page } from './browser.ts'

/** What axe finds against WCAG 2.2 AA and its own best practices, one line a finding. */
export async function findings(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze()
  return violations.map(
    ({ impact, id, nodes }) => `${impact} ${id}: ${nodes.map(({ html }) => html).join(' ')}`,
  )
}

/** By how many pixels the page is wider than the window. */
export function overflow(page: Page): Promise<unknown> {
  return page.evaluate(
    'Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)',
  )
}

/** What the focused element is called. */
export function focused(page: Page): Promise<unknown> {
  return page.evaluate('(document.activeElement.ariaLabel ?? document.activeElement.innerText).trim()')
}

/** What assistive technology is told of the screen; what differs from run to run has its kind in its place. */
export async function toldOf(page: Page): Promise<string> {
  const told = await page.getByRole('main').ariaSnapshot()
  return told
    .replaceAll(/did:plc:[a-z2-7]{24}/g, 'did:plc:…')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:…')
    .replaceAll(/time: .*/g, 'time: …')
}
