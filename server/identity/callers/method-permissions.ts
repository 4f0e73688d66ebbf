/**
 * What each method needs of a session with limited permissions, by its NSID. Methods that are not named need `rpc` for the
 * service that answers the call.
 */
import type { CalledMethod } from '../../platform/xrpc/method.ts'
import { protocolError } from '../../platform/xrpc/xrpc-errors.ts'
import { statusError } from '../../repository/access/status-errors.ts'
import { isManagement, scopes } from '../auth/scopes.ts'
import type { Permissions } from '../oauth/permissions.ts'
import type { OpenSession } from '../tables/sessions.ts'
import { type AuthWord, scopesOf } from './credentials.ts'

/** The permissions that a method requires. */
interface Need {
  /** The scope, for readers. */
  readonly scope: string
  /** Requires it. Absent: being signed in suffices, or the handler requires it, because it depends on the input. */
  readonly require?: (permissions: Permissions) => void
}

const signedIn: Need = { scope: 'atproto' }

const needs: Readonly<Record<string, Need>> = {
  'com.core.server.getSession': signedIn,
  'com.core.server.deleteSession': signedIn,
  'com.core.server.checkAccountStatus': signedIn,
  'com.core.server.getServiceAuth': { scope: 'rpc, of the input' },
  'com.core.repo.createRecord': { scope: 'repo, create' },
  'com.core.repo.putRecord': { scope: 'repo, create or update' },
  'com.core.repo.deleteRecord': { scope: 'repo, delete' },
  'com.core.repo.applyWrites': { scope: 'repo, of each write' },
  'com.core.repo.uploadBlob': { scope: 'blob' },
  'com.core.repo.listMissingBlobs': signedIn,
  'com.core.repo.importRepo': {
    scope: 'account:repo?action=manage',
    require: (permissions) => permissions.requireAccount('repo', 'manage'),
  },
  'com.core.identity.updateHandle': {
    scope: 'identity:handle',
    require: (permissions) => permissions.requireIdentity('handle'),
  },
  'com.core.identity.getRecommendedDidCredentials': signedIn,
}

/** The methods for full sessions that an app may call with the right scope. */
const openToApps: ReadonlySet<string> = new Set(
  Object.entries(needs).flatMap(([nsid, { require }]) => (require ? [nsid] : [])),
)

interface AllowedOptions {
  /** Undefined: everything of the scope. */
  readonly permissions: Permissions | undefined
  readonly isRead: boolean
  /** The names of this server as a service. */
  readonly ownNames: readonly string[]
}

/** Requires the scope of a method, an account in a state for it, and the permissions of a limited session. */
export function requireAllowed(
  account: OpenSession,
  method: CalledMethod<AuthWord>,
  { permissions, isRead, ownNames }: AllowedOptions,
): void {
  const word = permissions && openToApps.has(method.nsid) ? 'access' : method.auth
  if (!scopesOf.get(word)?.has(account.scope)) {
    throw account.scope === scopes.oauth ? refusal() : protocolError('InvalidToken', 'Bad token scope')
  }
  const inactive = method.active ? statusError(account) : undefined
  if (inactive) throw inactive
  if (!permissions) return
  // The service that answers counts, even if the header of the client names another one.
  const audiences = method.service === undefined ? ownNames : [method.service]
  requireMethod(permissions, method, audiences, isRead)
}

/**
 * Requires the permissions of a method.
 * @param audiences the service that answers, under each of its names
 * @param isRead whether the call changes nothing
 * @throws XrpcError `ScopeMissingError`, `Forbidden`
 */
function requireMethod(
  permissions: Permissions,
  { nsid, auth }: { readonly nsid: string; readonly auth: AuthWord },
  audiences: readonly string[],
  isRead: boolean,
): void {
  // Public data: the credentials only show who reads.
  if (auth === 'reader') return
  const need = needs[nsid]
  if (need) {
    need.require?.(permissions)
    return
  }
  if (isClosed(nsid, auth)) throw refusal()
  permissions.requireRpc(nsid, audiences, isRead)
}

/** Whether a method is for passwords only. */
function isClosed(nsid: string, auth: AuthWord): boolean {
  return ['full', 'full or takendown', 'admin', 'refresh'].includes(auth) || isManagement(nsid)
}

/** Returns the scope that an app needs for a method, for readers. */
export function neededScope({ nsid, auth }: { readonly nsid: string; readonly auth: AuthWord }): string {
  if (['none', 'reader', 'import', 'ending'].includes(auth)) return ''
  return needs[nsid]?.scope ?? (isClosed(nsid, auth) ? 'not for apps' : 'rpc')
}

/** The refusal of a method that manages the account. */
export function refusal(): Error {
  return protocolError('Forbidden', 'Apps cannot do this. Sign in with the password of the account.')
}

/** The audiences of calls that this server answers: itself, and the app views in whose place it answers. */
export function ownAudiences({
  serverDid,
  appViewDid,
}: {
  readonly serverDid: string
  readonly appViewDid: string | undefined
}): string[] {
  const views = [appViewDid, ...networkAppViews, serverDid].filter((did) => did !== undefined)
  const ofServer = ['#atproto_pds', '#atproto_labeler'].map((id) => serverDid + id)
  return [...views.map((did) => `${did}#bsky_appview`), ...ofServer]
}

/** App views that apps name in scopes, and clients in the header of calls, on every server. */
export const networkAppViews = ['did:web:api.bsky.app']
