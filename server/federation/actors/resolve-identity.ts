/** Resolves handles and DIDs for callers. */
import type { DidString, HandleString } from '@atproto/syntax'
import { normalizeHandle } from '../../identity/accounts/handle.ts'
import { type DidDocument, documentOfServer, handleOf } from '../../identity/did/did-document.ts'
import type { ResolveHandle } from '../../identity/did/handle-resolver.ts'
import { type ResolveDid, UnresolvableDid } from '../../identity/did/resolver.ts'
import type { Config } from '../../platform/config/config.ts'
import { XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import type { Reader } from '../../store/database.ts'
import { statusOf } from '../../store/tables/account-status.ts'
import * as accounts from '../../store/tables/accounts.ts'
import type { Requester } from '../../util/requester.ts'
import * as graph from '../tables/graph.ts'
import type { FindHandle } from './find-handle.ts'

interface Deps {
  readonly store: Reader
  readonly config: Pick<Config, 'plcUrl'>
  readonly serverDid: string
  readonly origin: string
  readonly identity: { readonly resolveDid: ResolveDid; readonly resolveHandle: ResolveHandle | undefined }
  readonly federation: { readonly findHandle: FindHandle }
}

interface Asking {
  readonly requester: Requester
  /** Whether the caller has credentials. */
  readonly isSignedIn: boolean
  /** The oldest document that is accepted, in milliseconds. */
  readonly maxAgeMs?: number
}

/** Returns the DID of a handle. @throws XrpcError `HandleNotFound` */
export async function didOfHandle(deps: Deps, name: string, asking: Asking): Promise<DidString> {
  const { store, identity, federation } = deps
  const { requester } = asking
  const handle = normalizeHandle(name)
  const account = accounts.findByHandle(store, handle)
  if (account && statusOf(account) !== undefined)
    throw new XrpcError('HandleNotFound', 'The account with this handle is not active')
  // Other servers ask without credentials: otherwise two that read each other would ask in a circle.
  const resolveElsewhere = () =>
    asking.isSignedIn
      ? federation.findHandle(handle, requester)
      : identity.resolveHandle?.(handle, { requester })
  const did = graph.actorOfHandle(store, handle)?.did ?? (await resolveElsewhere())
  if (did === undefined) throw new XrpcError('HandleNotFound', 'No account was found for this handle')
  return did
}

/** Returns the document of a DID. @throws XrpcError `DidNotFound`, `DidDeactivated`, `UpstreamFailure` */
export async function documentOf(deps: Deps, did: string, asking: Asking): Promise<DidDocument> {
  if (did === deps.serverDid) return documentOfServer(deps)
  if (deps.config.plcUrl === undefined && !accounts.findByDid(deps.store, did)) {
    throw new XrpcError(
      'DidNotFound',
      'No directory is configured, so that only accounts of this server are found',
    )
  }
  const { requester, maxAgeMs } = asking
  return deps.identity.resolveDid(did, { requester, maxAgeMs }).catch((error: unknown) => {
    throw error instanceof UnresolvableDid ? errorOf(error) : error
  })
}

function errorOf({ message, isEnded, isOutage }: UnresolvableDid): XrpcError {
  if (isEnded) return new XrpcError('DidDeactivated', message)
  return new XrpcError(isOutage ? 'UpstreamFailure' : 'DidNotFound', message)
}

/**
 * Returns the identity of a handle or DID. Its handle is `handle.invalid` if the handle in its document does not name the DID.
 * @throws XrpcError `HandleNotFound`, `DidNotFound`, `DidDeactivated`, `UpstreamFailure`
 */
export async function identityOf(deps: Deps, identifier: string, asking: Asking) {
  const did = identifier.startsWith('did:') ? identifier : await didOfHandle(deps, identifier, asking)
  const didDoc = await documentOf(deps, did, asking)
  const claimed = handleOf(didDoc)
  const named = claimed && (await didOfHandle(deps, claimed, asking).catch(undefinedIfNotFound))
  const handle: string = claimed !== undefined && named === did ? claimed : 'handle.invalid'
  return { did: did as DidString, handle: handle as HandleString, didDoc }
}

function undefinedIfNotFound(error: unknown): undefined {
  if (!(error instanceof XrpcError && error.name === 'HandleNotFound')) throw error
}
