/** Prepares the recovery of an identity: the operation that its holder signs, so that the identity names this server. */
import { type DidString, isValidHandle } from '@atproto/syntax'
import type { Platform } from '../../platform/platform.ts'
import { protocolError, XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import * as accounts from '../../store/tables/accounts.ts'
import { createSigningKey, type DidKey, isDidKey, type SigningKey } from '../../util/keys.ts'
import type { Requester } from '../../util/requester.ts'
import { iso } from '../../util/time.ts'
import { checkOperation, InvalidPlcOperation, maxRotationKeys, type PlcOperation } from '../did/did-plc.ts'
import type { ResolveHandle } from '../did/handle-resolver.ts'
import type { Secrets } from '../did/server-secrets.ts'
import * as reservedKeys from '../tables/reserved-keys.ts'
import { findPlace, type Place } from './recovery.ts'
import { reserveKey } from './reserved-keys.ts'

interface Deps extends Pick<Platform, 'config' | 'store' | 'plcOrigin' | 'now'> {
  readonly secrets: Pick<Secrets, 'rotationKey'>
  readonly resolveHandle: ResolveHandle | undefined
  readonly signal?: AbortSignal
}

/** Of the handle specification. */
const maxHandleLength = 253

interface Request {
  /** Handle or DID. */
  readonly identifier: string
  /** The public part of the rotation key, as did:key. */
  readonly key: string
  readonly requester: Requester
}

/** @throws XrpcError `AlreadyExists`, `IdentityNotFound` and the other errors of `recovery.ts`; InvalidRequest; TooManyLookups */
export async function planRecovery(deps: Deps, { identifier, key, requester }: Request) {
  if (!isDidKey(key)) throw protocolError('InvalidRequest', 'key must be a did:key of P-256 or secp256k1')
  const did = await didOf(deps, identifier.trim().replace(/^@/, ''), requester)
  if (accounts.findByDid(deps.store, did)) throw alreadyHere()
  const place = await findPlace(deps, did, key)
  const signingKey = await reservedFor(deps, did)
  const { state, position, replaces, until } = place
  return {
    did,
    alsoKnownAs: [...state.alsoKnownAs],
    server: state.services.atproto_pds?.endpoint,
    strongerKeys: position,
    weakerKeys: state.rotationKeys.length - position - 1,
    replaces,
    until: until && iso(until),
    operation: operationAt(place, { ...deps, signingKey: signingKey.did }),
  }
}

const alreadyHere = () =>
  new XrpcError('AlreadyExists', 'This account lives on this server already. Sign in, or reset its password.')

async function didOf({ resolveHandle }: Deps, text: string, requester: Requester): Promise<DidString> {
  if (/^did:plc:[a-z2-7]{24}$/.test(text)) return text as DidString
  if (text.startsWith('did:'))
    throw protocolError('InvalidRequest', 'Only identities that begin with did:plc: have recovery keys')
  const handle = text.toLowerCase()
  if (!isValidHandle(handle))
    throw protocolError('InvalidRequest', 'Enter a handle, such as alice.example, or a DID')
  const did = await resolveHandle?.(handle, { requester, maxAgeMs: 0 })
  if (did !== undefined) return did as DidString
  throw protocolError(
    'InvalidRequest',
    `No account with the handle ${handle} was found. Enter its DID, which is on the recovery kit.`,
  )
}

/** Returns the signing key that is reserved for the account, and reserves one if there is none. */
async function reservedFor({ store, now }: Deps, did: string): Promise<SigningKey> {
  const fresh = await createSigningKey()
  return store.transact((tx) => {
    if (accounts.findByDid(tx, did)) throw alreadyHere()
    const reserved = reservedKeys.find(tx, did)
    if (!reserved) reserveKey(tx, did, fresh, now())
    return reserved ?? fresh
  })
}

/**
 * Returns the unsigned operation, without the handle, which its holder chooses. The key and stronger ones stay; weaker ones, such as that of
 * the earlier server, lose control of the identity. Names, keys and services of other programs stay if a directory accepts that.
 */
function operationAt(
  place: Place,
  deps: Pick<Deps, 'secrets' | 'plcOrigin'> & { readonly signingKey: DidKey },
) {
  const whole = withOthers(place, deps)
  return hasRoom(whole) ? whole : withOthers({ ...place, state: { ...place.state, ...noOthers } }, deps)
}

/** An earlier server may have filled the identity, so that no operation would have room for this one. */
const noOthers = { verificationMethods: {}, alsoKnownAs: [], services: {} }

function withOthers(
  { state, prev, position }: Place,
  { secrets, plcOrigin, signingKey }: Parameters<typeof operationAt>[1],
): Omit<PlcOperation, 'sig'> {
  const server = secrets.rotationKey.did
  const kept = state.rotationKeys.slice(0, position + 1).filter((key) => key !== server)
  return {
    type: 'plc_operation',
    rotationKeys: [...kept.slice(-(maxRotationKeys - 1)), server],
    verificationMethods: { ...state.verificationMethods, atproto: signingKey },
    alsoKnownAs: state.alsoKnownAs.filter((name) => !name.startsWith('at://')),
    services: { ...state.services, atproto_pds: { type: 'AtprotoPersonalDataServer', endpoint: plcOrigin } },
    prev,
  }
}

/** Whether a directory accepts the operation with any handle and a signature. */
function hasRoom(operation: Omit<PlcOperation, 'sig'>): boolean {
  const handle = `at://${'x'.repeat(maxHandleLength)}`
  const sig = Buffer.alloc(64).toString('base64url')
  try {
    checkOperation({ ...operation, alsoKnownAs: [handle, ...operation.alsoKnownAs], sig })
    return true
  } catch (error) {
    if (error instanceof InvalidPlcOperation) return false
    throw error
  }
}
