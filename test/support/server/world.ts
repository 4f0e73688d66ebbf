/** A real server with its user interface, and a browser. */
import type { Config } from '../../../server/platform/config/config.ts'
import type { ServerOptions } from '../../../server/server.ts'
import type { ScriptedDesktop } from '../desktop/desktop-bridge.ts'
import {
  type Browser,
  type BrowserContext,
  errorsOf,
  launchBrowser,
  newProfile,
  type Page,
  type View,
} from '../page/browser.ts'
import type { ServerClient } from './client.ts'
import { TestServer } from './server.ts'

export class World<Server extends ServerClient = TestServer> {
  readonly server: Server
  readonly #browser: Browser
  readonly #profiles: BrowserContext[] = []
  readonly #errors: string[][] = []

  private constructor(server: Server, browser: Browser) {
    this.server = server
    this.#browser = browser
  }

  static async open(config: Partial<Config> = {}, options: ServerOptions = {}): Promise<World> {
    const starting = TestServer.start(config, undefined, options)
    const [server, browser] = await Promise.all([starting, launchBrowser()])
    return World.of(server, browser)
  }

  /** Uses a running server and browser, and closes both. */
  static of<Server extends ServerClient>(server: Server, browser: Browser): World<Server> {
    return new World(server, browser)
  }

  /** The origin of the interface. The server redirects visits of 127.0.0.1. */
  get url(): string {
    return `http://localhost:${new URL(this.server.url).port}`
  }

  /** Opens a page in a new browser profile. @param desktop the desktop bridge of the page, if any */
  async visitor(path = '/', view: View = {}, desktop?: ScriptedDesktop): Promise<Page> {
    const page = await this.#newPage(view)
    await desktop?.attach(page)
    await page.goto(`${this.url}/#${path}`)
    return page
  }

  async #newPage(view: View): Promise<Page> {
    const profile = await newProfile(this.#browser, view)
    this.#profiles.push(profile)
    return this.tab(profile)
  }

  /** Opens another tab of a profile. */
  async tab(profile: BrowserContext): Promise<Page> {
    const page = await profile.newPage()
    page.setDefaultTimeout(60_000)
    this.#errors.push(errorsOf(page))
    return page
  }

  /** Opens a page with a new session of an account. */
  async signedIn(account: { handle: string; password: string }, path = '/', view: View = {}): Promise<Page> {
    const { status, body } = await this.server.signIn(account)
    if (status !== 200) throw new Error(`createSession: ${JSON.stringify(body)}`)
    const page = await this.#newPage(view)
    // The interface never removes the key, so a session that has ended does not come back.
    const sessions = JSON.stringify(JSON.stringify([body]))
    await page.addInitScript(`localStorage['pds.sessions'] ??= ${sessions}`)
    await page.goto(`${this.url}/#${path}`)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    return page
  }

  /** Closes every profile after a test. @returns the errors that its pages logged */
  async closeProfiles(): Promise<string[]> {
    await Promise.all(this.#profiles.splice(0).map((profile) => profile.close()))
    return this.#errors.splice(0).flat()
  }

  async close(): Promise<void> {
    await this.#browser.close()
    await this.server.close()
  }
}

export function heading(page: Page, name: string) {
  return page.getByRole('heading', { level: 1, name })
}

export async function fillSignIn(page: Page, account: { handle: string; password: string }): Promise<void> {
  await page.getByLabel('Handle or email').fill(account.handle)
  await page.getByLabel('Password', { exact: true }).fill(account.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Opens an entry of the navigation, then one of its tabs. */
export async function open(page: Page, entry: string, tab?: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: entry, exact: true }).click()
  if (tab) await page.getByRole('navigation', { name: entry }).getByRole('link', { name: tab }).click()
}
