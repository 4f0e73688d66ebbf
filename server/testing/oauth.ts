/** Allows requests of apps to sign in (OAuth), as the person of an account does. */
import type { NetworkAccounts } from './accounts.ts'
import { call, redirectOf } from './call.ts'

interface Locator {
  fill(text: string): Promise<unknown>
  click(): Promise<unknown>
  isVisible(): Promise<boolean>
  waitFor(): Promise<unknown>
  selectOption(option: { readonly label: string }): Promise<unknown>
  or(other: never): Locator
}

/** The part of a page of Playwright that is used. */
export interface ApprovalPage {
  url(): string
  getByLabel(text: string, options?: { readonly exact?: boolean }): Locator
  getByRole(role: 'button', options?: { readonly name?: string; readonly exact?: boolean }): Locator
  waitForURL(
    url: RegExp | ((url: URL) => boolean),
    options?: { readonly waitUntil?: 'commit' },
  ): Promise<unknown>
}

export interface ApprovalOptions {
  /** Permissions that the app must ask for, separated by spaces: allows nothing else. Any by default. */
  readonly scope?: string | undefined
}

export interface NetworkOAuth {
  /**
   * Signs in and allows the request of an app.
   * @param target the URL to which the app sends the browser; or a page of Playwright that is there or on its way, of which the page
   * for consent is filled in
   * @param account an account of the network, or its handle or DID
   * @returns the URL of the app with the answer, to which a page was redirected
   * @throws NetworkCallFailed with the reason of the server, such as RequestNotFound
   */
  approve(
    target: string | URL | ApprovalPage,
    account: string | { readonly handle: string },
    options?: ApprovalOptions,
  ): Promise<string>
}

/** A request of an app cannot be approved as it was asked for. */
export class ApprovalError extends Error {
  override readonly name = 'ApprovalError'
}

const pathOfRequest = /#\/authorize\/(\w+)$/

export function createOAuth(
  accounts: Pick<NetworkAccounts, 'get' | 'list'>,
  urls: () => readonly string[],
): NetworkOAuth {
  return {
    async approve(target, named, { scope } = {}) {
      const name = typeof named === 'string' ? named : named?.handle
      if (typeof target === 'string' || target instanceof URL) {
        const { origin, id } = await requestAt(String(target))
        const { service, session } = await accountOn(origin, name)
        await checkScope(origin, id, scope)
        const decided = await call(service, 'com.core.oauth.decideRequest', {
          ...{ input: { id, isAllowed: true }, token: session.accessJwt },
        })
        return decided.location
      }
      await target.waitForURL(pathOfRequest)
      const { origin, id } = await requestAt(target.url())
      const account = await accountOn(origin, name)
      await checkScope(origin, id, scope)
      return approveOn(target, account)
    },
  }

  /** Finds the request that a URL opens. The page that shows it has it in its own URL. */
  async function requestAt(text: string): Promise<{ origin: string; id: string }> {
    const url = URL.parse(text)
    if (!url || !urls().includes(url.origin))
      throw new ApprovalError(`${text} is no URL of a server of this network: ${urls().join(', ')}.`)
    const page = pathOfRequest.test(url.hash) ? url.href : await redirectOf(url.href)
    const [, id = 'unknown'] = pathOfRequest.exec(page ?? '') ?? []
    if (id === 'unknown')
      throw new ApprovalError(
        `${text} opens no request of an app. It may have expired, or have been answered.`,
      )
    return { origin: url.origin, id }
  }

  async function accountOn(origin: string, name: string) {
    const account = await accounts.get(name)
    if (account.service === origin) return account
    throw new ApprovalError(`${account.handle} is on ${account.service}, the request on ${origin}.`)
  }

  async function checkScope(origin: string, id: string, expected: string | undefined): Promise<void> {
    if (expected === undefined) return
    const { scope } = await call(origin, 'com.core.oauth.getRequest', { query: { id } })
    const sorted = (text: string) => text.split(' ').toSorted().join(' ')
    if (sorted(scope) !== sorted(expected))
      throw new ApprovalError(`The app asks for other permissions: ${scope}`)
  }
}

/** Fills in the page for consent: signs in, unless the page has a session of the account. */
async function approveOn(
  page: ApprovalPage,
  {
    handle,
    password,
    service,
  }: { readonly handle: string; readonly password: string; readonly service: string },
): Promise<string> {
  const allow = page.getByRole('button', { name: 'Allow', exact: true })
  const identifier = page.getByLabel('Handle or email')
  await allow.or(identifier as never).waitFor()
  if (await identifier.isVisible()) {
    await identifier.fill(handle)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await allow.waitFor()
  }
  await page.getByLabel('Account', { exact: true }).selectOption({ label: handle })
  let location: string | undefined
  const left = page.waitForURL(
    (url) => {
      // The app may close the page, or go on, as soon as it has its answer.
      if (url.origin !== service) location ??= url.href
      return location !== undefined
    },
    { waitUntil: 'commit' },
  )
  await Promise.all([allow.click(), left]).catch((error: unknown) => {
    if (location === undefined) throw error
  })
  return location ?? page.url()
}
