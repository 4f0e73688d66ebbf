/**
 * Permissions of apps and limited app passwords. Their scopes are those of OAuth, `limit:read` (reading calls only) and `limit:call`
 * (all calls but those in `removals.ts`). Loaded with the first such session, because the libraries take 10 MB.
 */
import { isAtprotoOauthScope, ScopePermissions, ScopePermissionsTransition } from '@atproto/oauth-scopes'
import { LRUCache } from 'lru-cache'
import type { Names } from '../../platform/config/aliases.ts'
import { protocolError, type XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import { isImport } from '../auth/scopes.ts'
import { removalReason } from './removals.ts'

export type RepoAction = 'create' | 'update' | 'delete'

/** Each method throws `ScopeMissingError` (403) for what is not permitted. NSIDs may be ours or the network's. */
export interface Permissions {
  /** Requires a write to a collection. */
  requireRepo(collection: string, action: RepoAction): void
  /** Requires the upload of a file. @param mime media type, without parameters */
  requireBlob(mime: string): void
  /**
   * Requires a call.
   * @param audiences services that may be meant: DID, # and service id, or `*`. One of them suffices
   * @param isRead whether it changes nothing
   */
  requireRpc(nsid: string, audiences: readonly string[], isRead?: boolean): void
  /**
   * Requires a service token. One for an import, or for any method, takes an `rpc` scope that names it; the transitional scopes do
   * not suffice.
   * @param lxm the method; undefined for any
   * @param audience DID, possibly with # and service id
   */
  requireServiceToken(lxm: string | undefined, audience: string): void
  requireIdentity(attribute: 'handle' | '*'): void
  requireAccount(attribute: 'email' | 'repo', action: 'read' | 'manage'): void
  allowsEmail(): boolean
}

/** Returns the permissions of a text of scopes. */
export type ReadPermissions = (scope: string) => Permissions

const maxCached = 1_000

export function createReadPermissions(names: Names): ReadPermissions {
  const cache = new LRUCache<string, Permissions>({ max: maxCached })
  return (scope) => {
    const cached = cache.get(scope)
    if (cached) return cached
    const created = createPermissions(scope, names)
    cache.set(scope, created)
    return created
  }
}

/** Letters of NSIDs, DIDs and media types. A person reads scopes on the page, so an app cannot put a sentence there. */
const scopeLetters = /^[\w.:/*?&=#%+-]+$/

/** Whether a text is a scope that this server understands in full. */
export function isKnownScope(scope: string): boolean {
  return scopeLetters.test(decoded(scope)) && isAtprotoOauthScope(scope)
}

/** Decodes percent-encoding; returns an empty string for malformed text. */
function decoded(scope: string): string {
  try {
    return decodeURIComponent(scope)
  } catch {
    return ''
  }
}

function createPermissions(scope: string, names: Names): Permissions {
  const scopes = scope.split(' ')
  // The transitional scopes know the network's names only, of which they exclude some.
  const network = new ScopePermissionsTransition(scopes)
  const own = new ScopePermissions(scopes)
  // Of an app password, which the person has limited.
  const isLimit = scope.startsWith('limit:')
  const missing = (needed: string) => (isLimit ? limited() : missingScope(needed))
  const missingRpc = (lxm: string, aud: string) => missing(`rpc:${lxm}?aud=${encodeURIComponent(aud)}`)

  function requireRpc(nsid: string, audiences: readonly string[], isRead = false): void {
    if (isRead && scopes.includes('limit:read')) return
    if (scopes.includes('limit:call')) {
      const reason = isRead ? undefined : removalReason(names.own(nsid))
      if (reason !== undefined) throw limited(reason)
      return
    }
    const stored = networkName(names.stored(nsid))
    const isAllowed = audiences.some(
      (aud) => network.allowsRpc({ lxm: stored, aud }) || own.allowsRpc({ lxm: names.own(nsid), aud }),
    )
    if (!isAllowed) throw missingRpc(stored, audiences[0] ?? '*')
  }

  return {
    requireRpc,
    requireRepo(collection, action) {
      const stored = names.stored(collection)
      if (network.allowsRepo({ collection: stored, action })) return
      if (!own.allowsRepo({ collection: names.own(collection), action }))
        throw missing(`repo:${stored}?action=${action}`)
    },
    requireBlob(mime) {
      if (!network.allowsBlob({ mime })) throw missing(`blob:${mime}`)
    },
    requireServiceToken(lxm, aud) {
      if (lxm !== undefined && !isImport(lxm)) return requireRpc(lxm, [aud])
      const named = lxm === undefined ? ['*'] : importNames
      if (!named.some((each) => own.allowsRpc({ lxm: each, aud }))) throw missingRpc(named[0] ?? '*', aud)
    },
    requireIdentity(attribute) {
      if (!network.allowsIdentity({ attr: attribute })) throw missing(`identity:${attribute}`)
    },
    requireAccount(attribute, action) {
      if (!network.allowsAccount({ attr: attribute, action }))
        throw missing(`account:${attribute}?action=${action}`)
    },
    allowsEmail: () => isLimit || network.allowsAccount({ attr: 'email', action: 'read' }),
  }
}

/** The method that imports accounts, under both names that a scope may use. */
const importNames = ['com.atproto.server.createAccount', 'com.core.server.createAccount']

/** Returns the network's name of a chat method, also while its names are switched off. Authorities are case-insensitive. */
function networkName(nsid: string): string {
  return nsid.replace(/^chat\.(?:example|bsky)\./i, 'chat.bsky.')
}

/** @param reason completes "may not do this:" */
function limited(reason?: string): XrpcError {
  const what = reason === undefined ? '' : `: ${reason}`
  return protocolError(
    'ScopeMissingError',
    `This app password is limited and may not do this${what}. Make another one under Apps and sessions, or sign in with one that may.`,
  )
}

function missingScope(scope: string): XrpcError {
  return protocolError(
    'ScopeMissingError',
    `This app was not allowed to do this: it needs the scope ${scope}`,
  )
}
