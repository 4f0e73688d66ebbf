/** The identity of a new account: created here or imported. */

import type { DidString, HandleString } from '@atproto/syntax'
import type { Platform } from '../../platform/platform.ts'
import { protocolError, XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import type { NewAccount } from '../../store/tables/accounts.ts'
import { streamStates } from '../../store/tables/stream-state.ts'
import { createSigningKey, isDidKey, type SigningKey } from '../../util/keys.ts'
import type { Requester } from '../../util/requester.ts'
import { iso } from '../../util/time.ts'
import { type DidDocument, handleOf, signingKeyOf } from '../did/did-document.ts'
import { createGenesis, InvalidPlcOperation, verifyOperation } from '../did/did-plc.ts'
import { documentOfLog } from '../did/plc-log.ts'
import type { ResolveDid } from '../did/resolver.ts'
import type { Secrets } from '../did/server-secrets.ts'
import {
  audiencesOf,
  ServiceJwtError,
  type ServiceJwtErrorCode,
  verifyServiceJwt,
} from '../did/service-jwt.ts'
import * as reservedKeys from '../tables/reserved-keys.ts'
import { lossIn, parseOwn } from './plc-operation.ts'
import { verifyNext } from './recovery.ts'
import { activateBy } from './unactivated.ts'

interface Deps extends Pick<Platform, 'config' | 'names' | 'store' | 'plcOrigin' | 'now'> {
  readonly secrets: Secrets
  readonly resolveDid: ResolveDid
  readonly serverDid: DidString
}

/** The columns of a new account that depend on its DID. */
export type Identity = Pick<
  NewAccount,
  | 'did'
  | 'isMinted'
  | 'signingKey'
  | 'signingKeyDid'
  | 'plcOperation'
  | 'deactivatedAt'
  | 'activateBy'
  | 'streamState'
>

/** Creates a did:plc without a request: the DID is the hash of its genesis operation. */
export async function mintIdentity(
  { secrets, plcOrigin: origin }: Pick<Deps, 'secrets' | 'plcOrigin'>,
  handle: string,
  recoveryKey: string | undefined,
): Promise<Identity> {
  if (recoveryKey !== undefined && !isDidKey(recoveryKey)) {
    throw protocolError('InvalidRequest', 'recoveryKey must be a did:key of P-256 or secp256k1')
  }
  const key = await createSigningKey()
  const signer = secrets.rotationKey
  const rotationKeys = recoveryKey === undefined ? [signer.did] : [recoveryKey, signer.did]
  const { did, operation } = await createGenesis({
    handle,
    origin,
    signingKey: key.did,
    rotationKeys,
    signer,
  })
  return {
    did: did as DidString,
    isMinted: true,
    signingKey: key.privateKey,
    signingKeyDid: key.did,
    plcOperation: JSON.stringify(operation),
    deactivatedAt: null,
    activateBy: null,
    streamState: streamStates.live,
  }
}

export interface ImportRequest {
  readonly did?: DidString | undefined
  /** The normalized handle of the account. */
  readonly handle: HandleString
  readonly plcOp?: unknown
  /** Proof of control of the DID: a service token for createAccount on this server. If undefined, `plcOp` is the proof. */
  readonly serviceToken: string | undefined
  readonly requester: Requester
}

/**
 * Imports the DID of a request; returns undefined if it has none. The account starts deactivated, with its reserved signing key
 * or a new one. Its holder updates the DID to name this server, then activates the account.
 */
export async function importIdentity(
  services: Deps,
  request: ImportRequest,
): Promise<(Identity & { claims(handle: string): boolean }) | undefined> {
  const { did, plcOp, serviceToken, requester } = request
  if (did === undefined) {
    if (plcOp === undefined) return undefined
    throw protocolError('InvalidRequest', 'plcOp requires did')
  }
  const reserved = reservedKeys.find(services.store, did)
  const isRecovery = serviceToken === undefined && plcOp !== undefined && reserved !== undefined
  const document = isRecovery
    ? await proveRecovery(services, { ...request, did }, reserved)
    : await proveControl(services, did, { token: serviceToken, requester })
  const operation = plcOp === undefined ? null : await checkOperation(plcOp, did)
  const key = reserved ?? (await createSigningKey())
  const now = services.now()
  return {
    did,
    isMinted: false,
    signingKey: key.privateKey,
    signingKeyDid: key.did,
    plcOperation: operation,
    deactivatedAt: iso(now),
    activateBy: activateBy(now),
    streamState: streamStates.unannounced,
    claims: (handle) => document !== undefined && handleOf(document) === handle,
  }
}

/** Errors of service tokens that createAccount declares. */
const declaredCodes: readonly ServiceJwtErrorCode[] = ['BadJwtAudience', 'BadJwtLexiconMethod', 'BadJwtType']

function refusalOfProof({ code, message }: ServiceJwtError): XrpcError {
  return declaredCodes.includes(code)
    ? new XrpcError(code, message)
    : protocolError('AuthenticationRequired', message)
}

/**
 * Verifies the service token of a DID and returns its document.
 * @throws AuthenticationRequired, BadJwtAudience, BadJwtLexiconMethod, BadJwtType
 */
async function proveControl(
  { resolveDid, serverDid, names, now }: Pick<Deps, 'resolveDid' | 'serverDid' | 'names' | 'now'>,
  did: DidString,
  { token, requester }: { readonly token: string | undefined; readonly requester: Requester },
): Promise<DidDocument> {
  if (token === undefined) {
    throw protocolError(
      'AuthenticationRequired',
      'To import a DID, send a service token that it has signed for this server',
    )
  }
  let document: DidDocument | undefined
  const proof = await verifyServiceJwt(token, {
    audiences: audiencesOf(serverDid),
    lxm: 'com.core.server.createAccount',
    ownName: names.own,
    now,
    resolveSigningKey: async (issuer, refresh) => {
      document = await resolveDid(issuer, { requester, ...(refresh && { maxAgeMs: 0 }) })
      return signingKeyOf(document)
    },
  }).catch((error: unknown) => {
    throw error instanceof ServiceJwtError ? refusalOfProof(error) : error
  })
  if (proof.iss !== did || !document) {
    throw protocolError('AuthenticationRequired', 'The service token was issued by another DID')
  }
  return document
}

/**
 * Verifies that the holder of a rotation key has signed that the identity names this server and the reserved key. Returns the document
 * before that operation. @throws InvalidRequest, UpstreamFailure
 */
async function proveRecovery(
  services: Deps,
  { did, handle, plcOp }: ImportRequest & { readonly did: DidString },
  reserved: SigningKey,
): Promise<DidDocument | undefined> {
  const operation = parseOwn(plcOp)
  const { plcOrigin, secrets } = services
  const account = { handle, signingKeyDid: reserved.did }
  const loss = lossIn(operation, account, { origins: [plcOrigin], rotationKey: secrets.rotationKey.did })
  if (loss) throw protocolError('InvalidRequest', loss)
  const previous = await verifyNext(services, did, operation).catch((error: unknown) => {
    if (error instanceof InvalidPlcOperation) throw protocolError('InvalidRequest', error.message)
    if (!(error instanceof XrpcError)) throw error
    const isOutage = error.name === 'DirectoryUnavailable'
    throw protocolError(isOutage ? 'UpstreamFailure' : 'InvalidRequest', error.message)
  })
  return documentOfLog(did, [previous])
}

async function checkOperation(plcOp: unknown, did: string): Promise<string> {
  if (!did.startsWith('did:plc:'))
    throw protocolError('InvalidRequest', 'plcOp is allowed for a did:plc only')
  const operation = await verifyOperation(plcOp, did).catch((error: unknown) => {
    throw error instanceof InvalidPlcOperation ? protocolError('InvalidRequest', error.message) : error
  })
  return JSON.stringify(operation)
}
