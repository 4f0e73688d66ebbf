/** did:plc operations of account holders: which accounts have them, and which operations keep an account on this server. */

import { protocolError } from '../../platform/xrpc/xrpc-errors.ts'
import type { Account } from '../../store/tables/accounts.ts'
import type { DidKey, SigningKey } from '../../util/keys.ts'
import {
  checkOperation,
  createUpdate,
  endpointIn,
  handleIn,
  InvalidPlcOperation,
  type PlcChanges,
  type PlcOperation,
} from '../did/did-plc.ts'

/** @throws XrpcError `InvalidRequest` for an account with another kind of DID */
export function requirePlc({ did }: Pick<Account, 'did'>): void {
  if (did.startsWith('did:plc:')) return
  throw protocolError(
    'InvalidRequest',
    `${did} is not a did:plc. Its holder changes its DID document, without operations.`,
  )
}

/** Returns the properties that an operation must have for the account to stay on this server. */
export function recommendedState({ handle, signingKeyDid }: Account, origin: string) {
  return {
    alsoKnownAs: [`at://${handle}`],
    verificationMethods: { atproto: signingKeyDid },
    services: { atproto_pds: { type: 'AtprotoPersonalDataServer', endpoint: origin } },
  }
}

/** Parses an operation that a client sends. @throws XrpcError `InvalidRequest` */
export function parseOwn(value: unknown): PlcOperation {
  try {
    return checkOperation(value)
  } catch (error) {
    throw error instanceof InvalidPlcOperation ? protocolError('InvalidRequest', error.message) : error
  }
}

/**
 * Signs the operation that follows `last` and changes the properties that a client gives.
 * @param changes unchecked; undefined members stay as they are
 * @throws XrpcError `InvalidRequest` if no directory would accept it
 */
export function signedUpdate(
  last: PlcOperation,
  changes: { readonly [Name in keyof PlcChanges]?: unknown },
  signer: SigningKey,
): PlcOperation {
  if (!last.rotationKeys.includes(signer.did)) {
    throw protocolError(
      'InvalidRequest',
      'The rotation keys of the DID do not include the one of this server. Sign with a key of your own.',
    )
  }
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  // The shape is checked first: only an operation may be signed.
  const { rotationKeys, verificationMethods, alsoKnownAs, services } = parseOwn({ ...last, ...given })
  return parseOwn(createUpdate(last, { rotationKeys, verificationMethods, alsoKnownAs, services }, signer))
}

/**
 * Returns why the account could not stay on this server after an operation; undefined if it can.
 * @param rotationKey the key of this server; undefined for an identity that only its holder changes
 */
export function lossIn(
  operation: PlcOperation,
  { handle, signingKeyDid }: Pick<Account, 'handle' | 'signingKeyDid'>,
  { origins, rotationKey }: { origins: readonly string[]; rotationKey: DidKey | undefined },
): string | undefined {
  const { rotationKeys, verificationMethods, services } = operation
  if (rotationKey !== undefined && !rotationKeys.includes(rotationKey)) {
    return `The operation must keep the rotation key of this server, ${rotationKey}`
  }
  const endpoint = endpointIn(operation) ?? ''
  if (services.atproto_pds?.type !== 'AtprotoPersonalDataServer' || !origins.includes(endpoint)) {
    return `The operation must name this server, ${origins[0]}, as atproto_pds`
  }
  if (verificationMethods.atproto !== signingKeyDid) {
    return `The operation must keep the signing key of the account, ${signingKeyDid}`
  }
  return handleIn(operation) === handle
    ? undefined
    : `The operation must name the handle of the account first, at://${handle}`
}
