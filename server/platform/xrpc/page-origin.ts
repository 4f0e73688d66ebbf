/**
 * Whether a web page sent a request, and which one. Browsers add `Origin` or at least `Sec-Fetch-Site`, and a page cannot remove
 * them (Fetch Standard, Fetch Metadata).
 */
import type { IncomingMessage } from 'node:http'
import { isLoopbackHost } from './host.ts'

/** The origin of the page in the app window. No browser gives it to another page. */
export const windowOrigin = 'app://pds'

export interface PageSender {
  /**
   * Whether a page of another origin sent the request: of another site, of another port of this computer, of a browser extension,
   * or without an origin of its own. Pages of this server, the app window and programs are not foreign.
   */
  readonly isForeignPage: boolean
  /** Whether the owner lets this foreign page read as programs do. */
  readonly isTrustedPage: boolean
}

const notForeign: PageSender = { isForeignPage: false, isTrustedPage: false }
const foreign: PageSender = { isForeignPage: true, isTrustedPage: false }
const trusted: PageSender = { isForeignPage: true, isTrustedPage: true }

/**
 * @param trustedOrigins as browsers send them in `Origin`
 * @returns the reader of a request that reached this server under the origin `own`
 */
export function createPageReader(
  trustedOrigins: readonly string[],
): (req: IncomingMessage, own: string) => PageSender {
  const isTrusted = new Set(trustedOrigins)
  return (req, own) => {
    const { origin, host } = req.headers
    if (origin === undefined) return isOfOtherPage(req) ? foreign : notForeign
    if (origin === windowOrigin || origin === own) return notForeign
    // The scheme is ignored, because a proxy that is missing in the settings cannot state it. Only this server answers at its name.
    if (origin === `https://${host}` && !isLoopbackHost(host)) return notForeign
    return isTrusted.has(origin) ? trusted : foreign
  }
}

/** For requests without `Origin`: those of images, and reads of extensions, which have the site `none` but are no navigation. */
function isOfOtherPage({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin') return false
  const mode = headers['sec-fetch-mode']
  return site !== 'none' || (mode !== undefined && mode !== 'navigate')
}
