/** The DID documents of local accounts, and whether they name this server. */

import type { Config } from '../../platform/config/config.ts'
import { XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import type { Account } from '../../store/tables/accounts.ts'
import { type DidDocument, documentFor, pdsEndpointOf, signingKeyOf } from '../did/did-document.ts'
import type { ResolveDid } from '../did/resolver.ts'
import type { Secrets } from '../did/server-secrets.ts'
import type { PlcPublisher } from './plc.ts'

interface Deps {
  readonly config: Pick<Config, 'plcUrl'>
  readonly resolveDid: ResolveDid
  readonly origin: string
}

/** Older documents are looked up again: clients repeat checkAccountStatus after they changed the identity. */
const statusMaxAgeMs = 10_000
/** Longest wait of createSession, refreshSession and getSession for the DID document. */
const sessionWaitMs = 2_000

type StatusDeps = Deps & {
  readonly plc: Pick<PlcPublisher, 'current'>
  readonly secrets: Pick<Secrets, 'rotationKey'>
}

/**
 * Returns why this server cannot act for an account; undefined if it can. The DID document must name this server and the key that
 * signs for the account, and the rotation keys of a did:plc must include the key of this server.
 * @param maxAgeMs the oldest cached state that is accepted
 * @throws UnresolvableDid; XrpcError `UpstreamFailure` if the directory does not answer
 */
export async function identityProblem(
  deps: StatusDeps,
  account: Account,
  maxAgeMs: number,
): Promise<string | undefined> {
  if (unpublishedDocument(deps, account)) return undefined
  const { resolveDid, origin, plc, secrets } = deps
  const document = await resolveDid(account.did, { maxAgeMs })
  const endpoint = pdsEndpointOf(document)
  if (endpoint !== origin) return `The DID document names ${endpoint ?? 'no server'} and not ${origin}`
  if (signingKeyOf(document) !== account.signingKeyDid) {
    return `The DID document does not have the signing key of the account, ${account.signingKeyDid}`
  }
  if (!account.did.startsWith('did:plc:')) return undefined
  const { rotationKeys } = await plc.current(account, maxAgeMs)
  return rotationKeys.includes(secrets.rotationKey.did)
    ? undefined
    : `The rotation keys of the DID do not include the one of this server, ${secrets.rotationKey.did}`
}

/** Whether this server can act for an account, as far as the directory answers. */
export async function isDidValid(deps: StatusDeps, account: Account): Promise<boolean> {
  return identityProblem(deps, account, statusMaxAgeMs).then(
    (problem) => problem === undefined,
    // The document is a cached one then, and was valid.
    (error: unknown) => error instanceof XrpcError,
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
