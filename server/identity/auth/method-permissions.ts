/**
 * What each method needs of a session with limited permissions, by its NSID. Methods that are not named need `rpc` for the
 * service that answers the call.
 */
import { protocolError } from '../../platform/xrpc/errors.ts'
import type { AuthWord } from './credentials.ts'
import type { Permissions } from './permissions.ts'
import { isManagement } from './scopes.ts'

/** What a method needs; `handler`: it depends on the input, and the handler requires it. */
type Need = 'signed in' | 'handler' | ((permissions: Permissions) => void)

const needs: Readonly<Record<string, Need>> = {
  'com.core.server.getSession': 'signed in',
  'com.core.server.deleteSession': 'signed in',
  'com.core.server.checkAccountStatus': 'signed in',
  'com.core.server.getServiceAuth': 'handler',
  'com.core.repo.createRecord': 'handler',
  'com.core.repo.putRecord': 'handler',
  'com.core.repo.deleteRecord': 'handler',
  'com.core.repo.applyWrites': 'handler',
  'com.core.repo.uploadBlob': 'handler',
  'com.core.repo.listMissingBlobs': 'signed in',
  'com.core.repo.importRepo': (permissions) => permissions.requireAccount('repo', 'manage'),
  'com.core.identity.updateHandle': (permissions) => permissions.requireIdentity('handle'),
  'com.core.identity.getRecommendedDidCredentials': 'signed in',
}

/** The methods for full sessions that an app may call with the right scope. */
export const openToApps: ReadonlySet<string> = new Set(
  Object.entries(needs).flatMap(([nsid, need]) => (typeof need === 'function' ? [nsid] : [])),
)

/**
 * Requires what a method needs.
 * @param audiences services that may be meant, if the method answers for a service
 * @param isRead whether the call changes nothing
 * @throws XrpcError `ScopeMissingError`, `Forbidden`
 */
export function requireMethod(
  permissions: Permissions,
  { nsid, auth }: { readonly nsid: string; readonly auth: AuthWord },
  audiences: readonly string[],
  isRead: boolean,
): void {
  // Public data: the credentials only show who reads.
  if (auth === 'reader') return
  const need = needs[nsid]
  if (typeof need === 'function') need(permissions)
  if (need !== undefined) return
  if (auth === 'full' || auth === 'full or takendown' || isManagement(nsid)) throw refusal()
  permissions.requireRpc(nsid, audiences, isRead)
}

/** The refusal of a method that manages the account. */
export function refusal(): Error {
  return protocolError('Forbidden', 'Apps cannot do this. Sign in with the password of the account.')
}

/** The services that a call may mean: the one that it names, else the app views that this server stands for. */
export function audiencesOf(
  proxyHeader: string | undefined,
  { serverDid, appViewDid }: { readonly serverDid: string; readonly appViewDid: string | undefined },
): string[] {
  if (proxyHeader !== undefined && proxyHeader !== '') return [proxyHeader]
  const views = [appViewDid, ...networkAppViews, serverDid].filter((did) => did !== undefined)
  return views.map((did) => (did.includes('#') ? did : `${did}#bsky_appview`))
}

/** App views for which clients ask in scopes, without a header in the call. */
const networkAppViews = ['did:web:api.bsky.app']
