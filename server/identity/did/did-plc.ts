/** did:plc operations: creates, signs and verifies them without a directory. */

import { createHash } from 'node:crypto'
import { encode } from '@atproto/lex-cbor'
import { CBOR_DATA_CODEC, createCid, type LexValue, SHA256_HASH_CODE } from '@atproto/lex-data'
import { isObject, isString } from '../../util/json.ts'
import { type DidKey, isDidKey, isSignedBy, type SigningKey, sign } from '../../util/keys.ts'
import { endpointOrigin } from './endpoint-origin.ts'

/** A signed did:plc operation: the complete state of an identity, and the operation that it follows. */
export type PlcOperation = UnsignedOperation & { sig: string }

type UnsignedOperation = {
  type: 'plc_operation'
  /** The keys that control the identity, strongest first. */
  rotationKeys: DidKey[]
  verificationMethods: Record<string, string>
  alsoKnownAs: string[]
  services: Record<string, { type: string; endpoint: string }>
  /** The CID of the operation that this one follows; null for the first, the genesis operation. */
  prev: string | null
}

/** The operation is of another DID, or no directory would accept it; `message` gives the reason. */
export class InvalidPlcOperation extends Error {
  override name = 'InvalidPlcOperation'
}

/**
 * Creates an identity without a request: a did:plc is the hash of its signed genesis operation.
 * `rotationKeys` are in order of strength and must contain the signer's key.
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
  if (!rotationKeys.includes(signer.did)) throw new Error('The signer must be one of the rotation keys')
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

/** The members of an identity that an operation sets. */
export type PlcChanges = Partial<
  Pick<PlcOperation, 'rotationKeys' | 'verificationMethods' | 'alsoKnownAs' | 'services'>
>

/** Creates and signs the operation that follows `previous`, with some members changed. */
export function createUpdate(previous: PlcOperation, changes: PlcChanges, signer: SigningKey): PlcOperation {
  const { sig: _, ...state } = previous
  return signOperation({ ...state, ...changes, prev: cidOf(previous) }, signer)
}

function signOperation(unsigned: UnsignedOperation, signer: SigningKey): PlcOperation {
  const signature = sign(signer.privateKey, encode(unsigned))
  return { ...unsigned, sig: Buffer.from(signature).toString('base64url') }
}

/** Parses an operation of a log; undefined if directories would have refused it. The caller checks the signature. */
export function parseOperation(value: unknown): PlcOperation | undefined {
  return isPlcOperation(value) ? value : undefined
}

/**
 * Parses an operation that a client sends. Does not check the signature: only a directory knows the operation that it follows.
 * @throws InvalidPlcOperation
 */
export function checkOperation(operation: unknown): PlcOperation {
  if (!isPlcOperation(operation) || !hasUsableKeys(operation))
    throw new InvalidPlcOperation('Not a did:plc operation')
  if (encode(operation).byteLength > MAX_OPERATION_BYTES) {
    throw new InvalidPlcOperation('The did:plc operation is too large')
  }
  return operation
}

/** Verifies that an operation follows `previous`. @throws InvalidPlcOperation */
export async function verifySuccessor(operation: PlcOperation, previous: PlcOperation): Promise<void> {
  if (operation.prev !== cidOf(previous)) {
    throw new InvalidPlcOperation('The did:plc operation does not follow the latest one')
  }
  if (!(await isSignedByOneOf(previous.rotationKeys, operation))) {
    throw new InvalidPlcOperation('The did:plc operation is not signed by a rotation key of the latest one')
  }
}

/**
 * Verifies an operation that a client sends for `did`, and returns it. One of its own rotation keys must have signed it, and a
 * genesis operation must hash to the DID. A later operation may belong to another DID: only the directory's log shows that.
 * @throws InvalidPlcOperation
 */
export async function verifyOperation(value: unknown, did: string): Promise<PlcOperation> {
  const operation = checkOperation(value)
  if (operation.prev === null && didOf(operation) !== did) {
    throw new InvalidPlcOperation('The did:plc operation is for another DID')
  }
  if (!(await isSignedByOneOf(operation.rotationKeys, operation))) {
    throw new InvalidPlcOperation('The did:plc operation is not signed by one of its rotation keys')
  }
  return operation
}

// Limits of the did:plc directory.
export const MAX_OPERATION_BYTES = 4000
const MAX_ENTRIES = 10
export const maxRotationKeys = MAX_ENTRIES

async function isSignedByOneOf(keys: readonly string[], operation: SignedOperation): Promise<boolean> {
  return (await signerOf(keys, operation)) !== undefined
}

/** An operation of any kind. */
export type SignedOperation = { readonly [member: string]: LexValue } & { readonly sig: string }

/** Returns the position of the first key that has signed an operation; undefined if none has. */
export async function signerOf(
  keys: readonly string[],
  { sig, ...unsigned }: SignedOperation,
): Promise<number | undefined> {
  const data = encode(unsigned)
  const signature = Buffer.from(sig, 'base64url')
  for (const [index, key] of keys.entries()) {
    if (await isSignedBy(key, data, signature)) return index
  }
  return undefined
}

/** Returns the personal data server in an operation, as origin; undefined if it names none. */
export function endpointIn(operation: PlcOperation): string | undefined {
  const endpoint = operation.services.atproto_pds?.endpoint
  return endpoint === undefined ? undefined : endpointOrigin(endpoint)
}

/** Returns the first handle in an operation. */
export function handleIn(operation: PlcOperation): string | undefined {
  return operation.alsoKnownAs.find((name) => name.startsWith('at://'))?.slice('at://'.length)
}

/** The CID of a signed operation: `prev` of the next one. */
export function cidOf(operation: SignedOperation): string {
  return createCid(CBOR_DATA_CODEC, SHA256_HASH_CODE, sha256(operation)).toString()
}

/** The DID of an identity by its genesis operation. */
export function didOf(operation: SignedOperation): string {
  // The first 15 bytes of the hash in base32: 24 letters. BigInt writes base 32 with the digits 0-9a-v, which are replaced.
  const number = BigInt(`0x${sha256(operation).toString('hex', 0, 15)}`).toString(32)
  const letters = number.padStart(24, '0').replace(/./g, (digit) => BASE32[Number.parseInt(digit, 32)] ?? '')
  return `did:plc:${letters}`
}

/** RFC 4648, lower case. */
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

function sha256(operation: SignedOperation): Buffer {
  return createHash('sha256').update(encode(operation)).digest()
}

function isPlcOperation(value: unknown): value is PlcOperation {
  return (
    hasExactly(value, OPERATION_MEMBERS) &&
    value.type === 'plc_operation' &&
    isShortList(value.rotationKeys, isDidKey) &&
    isShortMap(value.verificationMethods, (key) => isString(key) && key.startsWith('did:key:z')) &&
    isShortList(value.alsoKnownAs, isString) &&
    isShortMap(value.services, isService) &&
    (value.prev === null || isPrev(value.prev)) &&
    isSignature(value.sig)
  )
}

/** The specification wants at least one rotation key, and none twice; directories accept others. */
function hasUsableKeys({ rotationKeys }: PlcOperation): boolean {
  return rotationKeys.length > 0 && new Set(rotationKeys).size === rotationKeys.length
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

/** Whether a value has the form of a CID of an operation. */
export function isPrev(value: unknown): value is string {
  return isString(value) && /^bafyrei[a-z2-7]{52}$/.test(value)
}

// The signature covers the whole object, so members that a directory would drop are refused.
export function hasExactly(value: unknown, members: readonly string[]): value is Record<string, unknown> {
  if (!isObject(value) || Object.keys(value).length !== members.length) return false
  return members.every((member) => Object.hasOwn(value, member))
}

// The round trip refuses padding and stray bits, so that a signature has one encoding and the operation one hash.
export function isSignature(value: unknown): value is string {
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
