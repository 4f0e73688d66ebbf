/** did:plc without a directory: genesis operations, their signatures, and the DID that is their hash. */
import { createHash } from 'node:crypto'
import { encode } from '@atproto/lex-cbor'
import { CBOR_DATA_CODEC, createCid, SHA256_HASH_CODE } from '@atproto/lex-data'
import { isObject, isString } from './json.ts'
import { type DidKey, isDidKey, isSignedBy, type SigningKey, sign } from './keys.ts'

/** A signed did:plc operation: the whole new state of an identity, and the operation it follows. */
export type PlcOperation = UnsignedOperation & { sig: string }

type UnsignedOperation = {
  type: 'plc_operation'
  /** The keys that control the identity, the strongest first. */
  rotationKeys: DidKey[]
  verificationMethods: Record<string, string>
  alsoKnownAs: string[]
  services: Record<string, { type: string; endpoint: string }>
  /** The CID of the operation that this one follows; null for the first, the genesis operation. */
  prev: string | null
}

/** An operation that no directory would take, or that does not belong to the DID; `message` says why. */
export class InvalidPlcOperation extends Error {
  override name = 'InvalidPlcOperation'
}

/**
 * Mints an identity without asking anyone: a did:plc is the hash of its own signed genesis operation.
 * `rotationKeys` are in order of strength and must hold the signer's key.
 */
export async function createGenesis(identity: {
  handle: string
  /** Origin of this server, such as `https://pds.example`. */
  origin: string
  signingKey: DidKey
  rotationKeys: readonly DidKey[]
  signer: SigningKey
}): Promise<{ did: string; operation: PlcOperation }> {
  const { handle, origin, signingKey, rotationKeys, signer } = identity
  if (!rotationKeys.includes(signer.did)) throw new Error('The signer is not one of the rotation keys')
  const unsigned: UnsignedOperation = {
    type: 'plc_operation',
    rotationKeys: [...new Set(rotationKeys)],
    verificationMethods: { atproto: signingKey },
    alsoKnownAs: [`at://${handle}`],
    services: { atproto_pds: { type: 'AtprotoPersonalDataServer', endpoint: origin } },
    prev: null,
  }
  const operation = signOperation(unsigned, signer)
  return { did: didOf(operation), operation }
}

/** Signs the operation that follows `previous` and changes some of the state that it gives. */
export function createUpdate(
  previous: PlcOperation,
  changes: Partial<Pick<PlcOperation, 'alsoKnownAs' | 'services'>>,
  signer: SigningKey,
): PlcOperation {
  const { sig: _, ...state } = previous
  return signOperation({ ...state, ...changes, prev: cidOf(previous) }, signer)
}

function signOperation(unsigned: UnsignedOperation, signer: SigningKey): PlcOperation {
  const signature = sign(signer.privateKey, encode(unsigned))
  return { ...unsigned, sig: Buffer.from(signature).toString('base64url') }
}

/** Returns a value that has the form of an operation; undefined for any other. Checks no signature. */
export function parseOperation(value: unknown): PlcOperation | undefined {
  return isPlcOperation(value) ? value : undefined
}

/**
 * Checks an operation that a client brings for `did`, and returns it. A genesis operation must hash to the DID. Which DID a
 * later operation continues is only in the directory's log, so offline its signature is all that is checked: by one of its
 * own rotation keys. Throws InvalidPlcOperation.
 */
export async function verifyOperation(operation: unknown, did: string): Promise<PlcOperation> {
  if (!isPlcOperation(operation)) throw new InvalidPlcOperation('Not a did:plc operation')
  if (encode(operation).byteLength > MAX_OPERATION_BYTES) {
    throw new InvalidPlcOperation('The did:plc operation is too large')
  }
  if (operation.prev === null && didOf(operation) !== did) {
    throw new InvalidPlcOperation('The did:plc operation is for another DID')
  }
  if (!(await isSignedByOneOf(operation.rotationKeys, operation))) {
    throw new InvalidPlcOperation('The did:plc operation is not signed by one of its rotation keys')
  }
  return operation
}

// Limits of the did:plc directory; an operation beyond them could never be submitted.
const MAX_OPERATION_BYTES = 4000
const MAX_ENTRIES = 10

async function isSignedByOneOf(keys: readonly string[], operation: PlcOperation): Promise<boolean> {
  const { sig, ...unsigned } = operation
  const data = encode(unsigned)
  const signature = Buffer.from(sig, 'base64url')
  for (const key of keys) {
    if (await isSignedBy(key, data, signature)) return true
  }
  return false
}

/** The address of the personal data server that an operation names. */
export function endpointIn(operation: PlcOperation): string | undefined {
  return operation.services.atproto_pds?.endpoint
}

/** The first handle that an operation names. */
export function handleIn(operation: PlcOperation): string | undefined {
  return operation.alsoKnownAs.find((name) => name.startsWith('at://'))?.slice('at://'.length)
}

/** The CID of a signed operation: `prev` of the next one. */
export function cidOf(operation: PlcOperation): string {
  return createCid(CBOR_DATA_CODEC, SHA256_HASH_CODE, sha256(operation)).toString()
}

function didOf(operation: PlcOperation): string {
  // 24 letters of base32 are the first 15 bytes; as a number in base 32 they only have other digits.
  const number = BigInt(`0x${sha256(operation).toString('hex', 0, 15)}`).toString(32)
  const letters = number.padStart(24, '0').replace(/./g, (digit) => BASE32[Number.parseInt(digit, 32)] ?? '')
  return `did:plc:${letters}`
}

/** RFC 4648, lower case. */
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

function sha256(operation: PlcOperation): Buffer {
  return createHash('sha256').update(encode(operation)).digest()
}

function isPlcOperation(value: unknown): value is PlcOperation {
  return (
    hasExactly(value, OPERATION_MEMBERS) &&
    value.type === 'plc_operation' &&
    isShortList(value.rotationKeys, isDidKey) &&
    value.rotationKeys.length > 0 &&
    new Set(value.rotationKeys).size === value.rotationKeys.length &&
    isShortMap(value.verificationMethods, (key) => isString(key) && key.startsWith('did:key:z')) &&
    isShortList(value.alsoKnownAs, isString) &&
    isShortMap(value.services, isService) &&
    (value.prev === null || (isString(value.prev) && /^bafyrei[a-z2-7]{52}$/.test(value.prev))) &&
    isSignature(value.sig)
  )
}

const OPERATION_MEMBERS = [
  'type',
  'rotationKeys',
  'verificationMethods',
  'alsoKnownAs',
  'services',
  'prev',
  'sig',
]

// The signature covers the whole object, so a member that a directory would drop must not be there.
function hasExactly(value: unknown, members: readonly string[]): value is Record<string, unknown> {
  if (!isObject(value) || Object.keys(value).length !== members.length) return false
  return members.every((member) => Object.hasOwn(value, member))
}

// The round trip refuses padding and stray bits: one signature has one spelling, and so the operation one hash.
function isSignature(value: unknown): boolean {
  if (!isString(value)) return false
  const bytes = Buffer.from(value, 'base64url')
  return bytes.length === 64 && bytes.toString('base64url') === value
}

function isService(value: unknown): boolean {
  return hasExactly(value, ['type', 'endpoint']) && isString(value.type) && isString(value.endpoint)
}

function isShortList<T>(value: unknown, accepts: (entry: unknown) => entry is T): value is T[] {
  return Array.isArray(value) && value.length <= MAX_ENTRIES && value.every(accepts)
}

function isShortMap(value: unknown, accepts: (entry: unknown) => boolean): boolean {
  if (!isObject(value)) return false
  const entries = Object.values(value)
  return entries.length <= MAX_ENTRIES && entries.every(accepts)
}
