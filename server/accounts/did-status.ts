/** The DID documents of local accounts, and whether they name this server. */

import type { Config } from '../config/config.ts'
import { type DidDocument, documentFor, pdsEndpointOf, signingKeyOf } from '../identity/did-document.ts'
import type { ResolveDid } from '../identity/resolver.ts'
import type { Account } from '../store/tables/accounts.ts'

interface Deps {
  readonly config: Pick<Config, 'plcUrl'>
  readonly resolveDid: ResolveDid
  readonly origin: string
}

/** Older documents are looked up again: clients repeat checkAccountStatus after they changed the identity. */
const statusMaxAgeMs = 10_000
/** Longest wait of createSession, refreshSession and getSession for the DID document. */
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
 * Returns the DID document for a session. Undefined while the document of an imported account names another server: client
 * libraries send all later calls to the server in the document.
 */
export async function sessionDocument(deps: Deps, account: Account): Promise<DidDocument | undefined> {
  const local = unpublishedDocument(deps, account)
  if (local) return local
  const { resolveDid, origin } = deps
  const document = await resolveDid(account.did, { waitMs: sessionWaitMs }).catch(() => undefined)
  const isShown = account.isMinted === 1 || (document && pdsEndpointOf(document) === origin)
  return isShown ? document : undefined
}

/** Renders the document of an account whose DID was created here and is not published; undefined for other accounts. */
export function unpublishedDocument(
  { config, origin }: Pick<Deps, 'config' | 'origin'>,
  { did, handle, isMinted, plcSubmittedAt, signingKeyDid: signingKey }: Account,
): DidDocument | undefined {
  if (!isMinted || (config.plcUrl !== undefined && plcSubmittedAt !== null)) return undefined
  return documentFor({ did, handle, origin, signingKey })
}

/** Renders the document as this server last published it; undefined if it never did. */
export function publishedDocument(account: Account): DidDocument | undefined {
  const { did, isMinted, plcHandle: handle, plcEndpoint: origin, signingKeyDid: signingKey } = account
  if (!isMinted || handle === null || origin === null) return undefined
  return documentFor({ did, handle, origin, signingKey })
}
