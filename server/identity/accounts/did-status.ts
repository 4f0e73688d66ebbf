/** The DID documents of local accounts, and whether they name this server. */

import type { Config } from '../../platform/config/config.ts'
import type { Account } from '../../store/tables/accounts.ts'
import { type DidDocument, documentFor, pdsEndpointOf, signingKeyOf } from '../did/did-document.ts'
import type { ResolveDid, ResolveOptions } from '../did/resolver.ts'

interface Deps {
  readonly config: Pick<Config, 'plcUrl'>
  readonly resolveDid: ResolveDid
  readonly origin: string
}

/** Older documents are looked up again: clients repeat checkAccountStatus after they changed the identity. */
const statusMaxAgeMs = 10_000
/** Longest wait of createSession, refreshSession and getSession for the DID document. */
const sessionWaitMs = 2_000

/**
 * Returns why this server cannot act for an account; undefined if it can. The DID document must name this server and the key that
 * signs for the account. The rotation keys of a did:plc may all be its holder's, who then changes the identity without this server.
 * @param options which documents are accepted
 * @throws UnresolvableDid
 */
export async function identityProblem(
  deps: Deps,
  account: Account,
  options: ResolveOptions,
): Promise<string | undefined> {
  if (unpublishedDocument(deps, account)) return undefined
  const { resolveDid, origin } = deps
  const document = await resolveDid(account.did, options)
  const endpoint = pdsEndpointOf(document)
  if (endpoint !== origin) return `The DID document names ${endpoint ?? 'no server'} and not ${origin}`
  if (signingKeyOf(document) !== account.signingKeyDid) {
    return `The DID document does not have the signing key of the account, ${account.signingKeyDid}`
  }
  return undefined
}

/** Whether this server can act for an account, by a cached document while the directory does not answer. */
export async function isDidValid(deps: Deps, account: Account): Promise<boolean> {
  return identityProblem(deps, account, { maxAgeMs: statusMaxAgeMs }).then(
    (problem) => problem === undefined,
    () => false,
  )
}

/**
 * Returns the DID document for a session. Undefined while it names another server: client libraries send all later calls to the
 * server in the document.
 */
export async function sessionDocument(deps: Deps, account: Account): Promise<DidDocument | undefined> {
  const local = unpublishedDocument(deps, account)
  if (local) return local
  const { resolveDid, origin } = deps
  const document = await resolveDid(account.did, { waitMs: sessionWaitMs }).catch(() => undefined)
  return document && pdsEndpointOf(document) === origin ? document : undefined
}

/** Rendered documents. The account of a session is the same object until it changes. */
const unpublished = new WeakMap<Account, DidDocument>()

/** Renders the document of an account whose DID was created here and is not published; undefined for other accounts. */
export function unpublishedDocument(
  { config, origin }: Pick<Deps, 'config' | 'origin'>,
  account: Account,
): DidDocument | undefined {
  const { did, handle, isMinted, plcSubmittedAt, signingKeyDid: signingKey } = account
  if (!isMinted || (config.plcUrl !== undefined && plcSubmittedAt !== null)) return undefined
  const known = unpublished.get(account)
  if (known) return known
  const document = Object.freeze(documentFor({ did, handle, origin, signingKey }))
  unpublished.set(account, document)
  return document
}

/** Renders the document as this server last published it; undefined if it never did. */
export function publishedDocument(account: Account): DidDocument | undefined {
  const { did, isMinted, plcHandle: handle, plcEndpoint: origin, signingKeyDid: signingKey } = account
  if (!isMinted || handle === null || origin === null) return undefined
  return documentFor({ did, handle, origin, signingKey })
}
