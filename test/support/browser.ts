/** A real Chromium that looks at the real server's user interface. */
import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright'

const systemChromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The system's Chromium where there is one, else the one that playwright has installed. */
export function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? systemChromium.find((path) => existsSync(path))
  return chromium.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
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
}

/** A profile of its own: nobody is signed in. */
export function newProfile(
  browser: Browser,
  { width = 1280, height = 800, colorScheme = 'light', locale = 'en-GB' }: View = {},
) {
  return browser.newContext({
    viewport: { width, height },
    colorScheme,
    reducedMotion: 'reduce',
    locale,
    timezoneId: 'UTC',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
}

/** What the page has complained about: errors thrown, and what its security policy has blocked. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // The browser itself reports every answer that is an error, and every server that is gone; those are part of the tests.
    const isAnswer = /^(Failed to load resource|WebSocket connection to)/.test(message.text())
    if (message.type() === 'error' && !isAnswer) complaints.push(message.text())
  })
  return complaints
}

export type { Browser, BrowserContext, Page }
