/**
 * The rules by which a did:plc directory accepts an operation (did:plc specification 0.3, and the constraints of plc.directory).
 * How often an identity may change is not limited: the clock of tests may stand still.
 */
import { encode } from '@atproto/lex-cbor'
import { didOf, InvalidPlcOperation, MAX_OPERATION_BYTES, signerOf } from '../../identity/did/did-plc.ts'
import { type Logged, parseLogged, rotationKeysOf } from '../../identity/did/plc-log.ts'

/** An operation that was accepted. */
export interface Entry {
  /** Its number among all operations of the directory; the first one is 1. */
  readonly seq: number
  readonly did: string
  readonly operation: Logged
  readonly cid: string
  /** Whether a later operation of a stronger key has replaced it. */
  readonly nullified: boolean
  /** When it was accepted, as ISO 8601. */
  readonly createdAt: string
}

/** A stronger key replaces operations of a weaker one within this time, in milliseconds. */
const recoveryMs = 72 * 60 * 60_000

/** Limits of a directory, in entries and characters. The numbers of entries are those of `parseLogged`. */
const limits = { alias: 258, id: 32, serviceType: 256, endpoint: 512 }

/** Parses an operation that a client sends. @throws InvalidPlcOperation */
export function parseSubmitted(value: unknown): Logged {
  if (sizeOf(value) > MAX_OPERATION_BYTES)
    refuse(`Operation too large (${MAX_OPERATION_BYTES} bytes maximum in cbor encoding)`)
  const operation = parseLogged(value) ?? refuse('Not a valid operation')
  if (operation.type === 'plc_operation') checkLengths(operation)
  return operation
}

/** Returns the size in DAG-CBOR, which values of JSON may lack. @throws InvalidPlcOperation */
function sizeOf(value: unknown): number {
  try {
    return encode(value as Logged).length
  } catch {
    return refuse('Not a valid operation')
  }
}

function checkLengths(operation: Extract<Logged, { type: 'plc_operation' }>): void {
  const { alsoKnownAs, services, verificationMethods } = operation
  if (alsoKnownAs.some((alias) => alias.length > limits.alias))
    refuse(`alsoKnownAs entry too long (max ${limits.alias})`)
  if (new Set(alsoKnownAs).size < alsoKnownAs.length) refuse('Duplicate alsoKnownAs entry')
  if ([...Object.keys(services), ...Object.keys(verificationMethods)].some((id) => id.length > limits.id))
    refuse(`Service or verification method id too long (max ${limits.id})`)
  for (const { type, endpoint } of Object.values(services)) {
    if (type.length > limits.serviceType) refuse(`Service type too long (max ${limits.serviceType})`)
    if (endpoint.length > limits.endpoint) refuse(`Service endpoint too long (max ${limits.endpoint})`)
  }
}

/**
 * Returns how many operations of the log stay in force before a new one.
 * @param log the operations in force, the oldest first
 * @throws InvalidPlcOperation
 */
export async function placeOf(
  did: string,
  log: readonly Entry[],
  operation: Logged,
  at: Date,
): Promise<number> {
  if (log.length === 0) return placeOfGenesis(did, operation)
  const index = log.findIndex(({ cid }) => cid === operation.prev)
  const previous = log[index]
  if (!previous || previous.operation.type === 'plc_tombstone') return misordered()
  const keys = rotationKeysOf(previous.operation)
  const signer = (await signerOf(keys, operation)) ?? refuse('Invalid signature on op')
  const replaced = log[index + 1]
  if (replaced) {
    const disputed = await signerOf(keys, replaced.operation)
    if (disputed === undefined || signer >= disputed) refuse('Invalid signature on op')
    if (at.getTime() - Date.parse(replaced.createdAt) > recoveryMs)
      refuse('Recovery operation occurred outside of the allowed 72 hr recovery window')
  }
  return index + 1
}

async function placeOfGenesis(did: string, operation: Logged): Promise<number> {
  if (operation.prev !== null) return misordered()
  if ((await signerOf(rotationKeysOf(operation), operation)) === undefined) refuse('Invalid signature on op')
  const hashed = didOf(operation)
  if (hashed !== did) refuse(`Hash of genesis operation does not match DID identifier: ${hashed}`)
  return 0
}

function misordered(): never {
  return refuse('Operations not correctly ordered')
}

function refuse(reason: string): never {
  throw new InvalidPlcOperation(reason)
}
