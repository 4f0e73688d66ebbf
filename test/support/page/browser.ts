/** Runs the user interface in a real Chromium. */
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright'
import { findChromium } from '../../../build/browser.ts'

/** Features that are off. Chromium reads one such list: the first lines are Playwright's, which this one replaces. */
const disabledFeatures = [
  ...['AimEnabled', 'AvoidCorsURLLoaderRestartOnRedirect', 'AvoidUnnecessaryBeforeUnloadCheckSync'],
  ...['DestroyProfileOnBrowserClose', 'HttpsFirstBalancedModeAutoEnable', 'HttpsUpgrades', 'LensOverlay'],
  ...['MediaRouter', 'NetworkTimeServiceQuerying', 'OptimizationHints', 'PaintHolding', 'PreconnectToSearch'],
  ...['TcpPortRandomizationWin', 'ThirdPartyStoragePartitioning'],
  // Two hidden pages of the address bar in each window take more than half of the CPU time of a test.
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'],
  // A process for the next page, which no test waits for.
  'SpareRendererForSitePerProcess',
]

/** @param more further arguments of Chromium @param without further features that are off */
export function launchBrowser(
  more: readonly string[] = [],
  without: readonly string[] = [],
): Promise<Browser> {
  const executablePath = findChromium()
  if (!executablePath) throw new Error('There is no Chromium. `npm test` installs it.')
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--disable-features=${[...disabledFeatures, ...without]}`,
      ...more,
    ],
  })
}

export interface View {
  readonly width?: number
  readonly height?: number
  readonly colorScheme?: 'light' | 'dark'
  /** BCP 47. */
  readonly locale?: string
  /** IANA name. */
  readonly timeZone?: string
  /** The time at which the clock of its pages stands still, in milliseconds. */
  readonly now?: number
}

/** A new browser profile, without a session. */
export async function newProfile(
  browser: Browser,
  { width = 1280, height = 800, colorScheme = 'light', locale = 'en-GB', timeZone = 'UTC', now }: View = {},
): Promise<BrowserContext> {
  const profile = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    reducedMotion: 'reduce',
    locale,
    timezoneId: timeZone,
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  if (now !== undefined) await profile.clock.setFixedTime(now)
  return profile
}

/** Collects the page's errors: exceptions and console errors, such as violations of its content security policy. */
export function errorsOf(page: Page): string[] {
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => {
    // Chromium logs every error response and lost connection. Tests provoke those.
    const isResponse = /^(Failed to load resource|WebSocket connection to)/.test(message.text())
    if (message.type() === 'error' && !isResponse) errors.push(message.text())
  })
  return errors
}

export type { Browser, BrowserContext, Page }
