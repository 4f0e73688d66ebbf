/** Keeps web pages of other sites from reading a private server, unless the visitor signed in there. */
import type { Config } from '../../platform/config/config.ts'
import type { AdmitPage, Authorize, Caller } from '../../platform/xrpc/method.ts'
import { protocolError } from '../../platform/xrpc/xrpc-errors.ts'
import type { AuthWord } from './credentials.ts'

/** The methods that pages of other sites may call without credentials. */
const openToPages = new Set([
  // Clients show a server's requirements before anyone signs in. The response is the same for every server of this kind: it has neither names nor DIDs.
  'com.core.server.describeServer',
])

/**
 * Clients show pictures by `<img>`, which sends no token and whose bytes the page cannot read. It learns whether the picture
 * loads, so whether an account has a file, if it knows the DID and the CID: a CID is the hash of the content, and what names
 * DIDs is refused. A page that reads the response (with `Origin`) would also learn from the error whether the account exists.
 */
const embeddable = 'com.core.sync.getBlob'

/** The auth words under which a call without credentials is answered. */
const anonymous = new Set<AuthWord>(['none', 'optional', 'reader'])

/**
 * Creates the check that keeps pages of other sites from reading a server without a public address: any page that the owner
 * visits could otherwise find out who lives here, by guessing names.
 */
export function createPageGuard(
  { publicUrl }: Pick<Config, 'publicUrl'>,
  authorize: Authorize<AuthWord>,
): AdmitPage<AuthWord> {
  return async ({ headers, caller }, { nsid, auth }) => {
    if (publicUrl !== undefined || !anonymous.has(auth) || openToPages.has(nsid)) return undefined
    if (nsid === embeddable && headers.origin === undefined) return undefined
    if (headers.authorization === undefined) {
      throw protocolError('Forbidden', 'Pages of other sites can read this server only after signing in')
    }
    // Methods for anyone do not look at the token.
    if (auth !== 'none') return undefined
    return authorize({ headers, caller }, { nsid, auth: 'reader', active: false })
  }
}

/** Keeps pages of other sites from methods that belong to a page of this server, with any verb and any credentials. */
export function refuseForeignPage({ isForeignPage }: Caller): void {
  if (isForeignPage) throw protocolError('Forbidden', 'Only pages of this server may call this')
}

interface CallToThisComputer {
  readonly caller: Caller
  readonly fail: (name: 'NotAtThisComputer', message: string) => Error
}

/** Requires a caller on this computer. @throws XrpcError NotAtThisComputer */
export function requireThisComputer({ caller, fail }: CallToThisComputer): void {
  if (!isAtThisComputer(caller)) throw fail('NotAtThisComputer', 'Do this on the computer of this server')
}

/** Whether a program of this computer calls, or the interface in a browser of this computer. */
export function isAtThisComputer({ isLocal, isForeignPage }: Caller): boolean {
  return isLocal && !isForeignPage
}
