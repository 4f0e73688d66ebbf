/** Whether the DID of an account leads to this server, and the document that clients are shown. */

import type { Config } from '../config/config.ts'
import { type DidDocument, documentFor, pdsEndpointOf, signingKeyOf } from '../identity/did-document.ts'
import type { ResolveDid } from '../identity/resolver.ts'
import type { Account } from '../store/tables/accounts.ts'

interface Deps {
  readonly config: Pick<Config, 'plcUrl'>
  readonly resolveDid: ResolveDid
  readonly origin: string
}

/** A client that checks again after a change gets the new state. */
const statusMaxAgeMs = 10_000
/** No session waits longer for a directory that does not answer. */
const sessionWaitMs = 2_000

/** Whether the DID document names this server and the key that signs for the account. */
export async function isDidValid(
  { resolveDid, origin }: Pick<Deps, 'resolveDid' | 'origin'>,
  account: Account,
): Promise<boolean> {
  const document = await resolveDid(account.did, { maxAgeMs: statusMaxAgeMs }).catch(() => undefined)
  return (
    document !== undefined &&
    pdsEndpointOf(document) === origin &&
    signingKeyOf(document) === account.signingKeyDid
  )
}

/**
 * The DID document that a session shows. Undefined while that of an imported account names another server: client libraries
 * send every further call to the server that the document names.
 */
export async function sessionDocument(deps: Deps, account: Account): Promise<DidDocument | undefined> {
  const local = unpublishedDocument(deps, account)
  if (local) return local
  const { resolveDid, origin } = deps
  const document = await resolveDid(account.did, { waitMs: sessionWaitMs }).catch(() => undefined)
  const isShown = account.isMinted === 1 || (document && pdsEndpointOf(document) === origin)
  return isShown ? document : undefined
}

/** The document of an account whose DID was made here and is in no directory; undefined for any other. */
export function unpublishedDocument(
  { config, origin }: Pick<Deps, 'config' | 'origin'>,
  { did, handle, isMinted, plcSubmittedAt, signingKeyDid: signingKey }: Account,
): DidDocument | undefined {
  if (!isMinted || (config.plcUrl !== undefined && plcSubmittedAt !== null)) return undefined
  return documentFor({ did, handle, origin, signingKey })
}

/** The document of an account as this server last published it; undefined when it never did. */
export function publishedDocument(account: Account): DidDocument | undefined {
  const { did, isMinted, plcHandle: handle, plcEndpoint: origin, signingKeyDid: signingKey } = account
  if (!isMinted || handle === null || origin === null) return undefined
  return documentFor({ did, handle, origin, signingKey })
}
