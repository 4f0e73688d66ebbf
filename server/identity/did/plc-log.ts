/**
 * Verifies logs of did:plc identities, as a directory or the server of an account serves them (did:plc specification). A DID is
 * the hash of its first operation and each operation is signed by a key of the one before, so the source need not be trusted.
 */

import { isString } from '../../util/json.ts'
import { type DidKey, isDidKey } from '../../util/keys.ts'
import { inTurn } from '../../util/turns.ts'
import type { DidDocument } from './did-document.ts'
import {
  cidOf,
  didOf,
  hasExactly,
  InvalidPlcOperation,
  isPrev,
  isSignature,
  type PlcOperation,
  parseOperation,
  signerOf,
} from './did-plc.ts'

/** The first operation of identities before 2023. */
type LegacyCreate = {
  type: 'create'
  signingKey: DidKey
  recoveryKey: DidKey
  handle: string
  service: string
  prev: null
  sig: string
}

/** Ends an identity. */
type Tombstone = { type: 'plc_tombstone'; prev: string; sig: string }

/** An operation of a log. */
export type Logged = PlcOperation | LegacyCreate | Tombstone

/** The operations in force, the oldest first; at least one. */
export type PlcLog = readonly Logged[]

/** An identity changes a few times in its life. The limits bound the work that a source can cause. */
const defaultLimits = { operations: 100, checks: 250 }

/**
 * Verifies a log.
 * @param log parsed JSON
 * @param limits number of operations, and of checks of a signature by a key
 * @throws InvalidPlcOperation
 */
export async function verifyLog(did: string, log: unknown, limits = defaultLimits): Promise<PlcLog> {
  if (!Array.isArray(log) || log.length === 0) throw new InvalidPlcOperation('The log has no operations')
  if (log.length > limits.operations) throw new InvalidPlcOperation('The log has too many operations')
  const operations: Logged[] = []
  let checks = 0
  for (const value of log) {
    const operation = parseLogged(value)
    if (!operation) throw new InvalidPlcOperation('An operation of the log is malformed')
    const previous = operations.at(-1)
    requireOrder(did, operation, previous)
    const keys = rotationKeysOf(previous ?? operation)
    checks += keys.length
    if (checks > limits.checks) throw new InvalidPlcOperation('The log has too many keys')
    if (!(await isSignedByOneOf(keys, operation))) {
      throw new InvalidPlcOperation('An operation of the log is not signed by a rotation key')
    }
    operations.push(operation)
  }
  return operations
}

/** @throws InvalidPlcOperation */
function requireOrder(did: string, operation: Logged, previous: Logged | undefined): void {
  if (!previous && (operation.prev !== null || didOf(operation) !== did)) {
    throw new InvalidPlcOperation('The log is of another DID')
  }
  if (previous && operation.prev !== cidOf(previous)) {
    throw new InvalidPlcOperation('The operations of the log do not follow each other')
  }
}

async function isSignedByOneOf(keys: readonly DidKey[], operation: Logged): Promise<boolean> {
  for (const key of keys) {
    const signer = await inTurn(() => signerOf([key], operation))
    if (signer !== undefined) return true
  }
  return false
}

/** Parses an operation of any kind; undefined if it is malformed. Does not check the signature. */
export function parseLogged(value: unknown): Logged | undefined {
  return isLegacyCreate(value) || isTombstone(value) ? value : parseOperation(value)
}

function isLegacyCreate(value: unknown): value is LegacyCreate {
  return (
    hasExactly(value, ['type', 'signingKey', 'recoveryKey', 'handle', 'service', 'prev', 'sig']) &&
    value.type === 'create' &&
    isDidKey(value.signingKey) &&
    isDidKey(value.recoveryKey) &&
    isString(value.handle) &&
    isString(value.service) &&
    value.prev === null &&
    isSignature(value.sig)
  )
}

function isTombstone(value: unknown): value is Tombstone {
  return (
    hasExactly(value, ['type', 'prev', 'sig']) &&
    value.type === 'plc_tombstone' &&
    isPrev(value.prev) &&
    isSignature(value.sig)
  )
}

/** The keys that may sign the next operation, strongest first. */
export function rotationKeysOf(operation: Logged): readonly DidKey[] {
  return stateAfter(operation)?.rotationKeys ?? []
}

/**
 * Returns the log that counts of two of one DID. The longer one if it continues the other. Where they differ, the one whose
 * operation is signed by the stronger key, as a directory decides; of equal ones the longer, else the known one.
 */
export async function preferredLog(known: PlcLog, other: PlcLog): Promise<PlcLog> {
  const fork = other.findIndex((operation, index) => operation.sig !== known[index]?.sig)
  const [ours, theirs, previous] = [known[fork], other[fork], known[fork - 1]]
  // The other log is a prefix; or it continues the known one.
  if (!theirs) return known
  if (!ours) return other
  const keys = previous ? rotationKeysOf(previous) : []
  const strength = async (operation: Logged) => (await signerOf(keys, operation)) ?? keys.length
  const difference = (await strength(ours)) - (await strength(theirs))
  if (difference !== 0) return difference > 0 ? other : known
  return other.length > known.length ? other : known
}

/** Renders the document after the last operation; undefined for an identity that has ended. */
export function documentOfLog(did: string, log: PlcLog): DidDocument | undefined {
  const state = stateAfter(log.at(-1))
  return (
    state && {
      id: did,
      alsoKnownAs: state.alsoKnownAs,
      verificationMethod: Object.entries(state.verificationMethods).map(([name, key]) => ({
        id: `${did}#${name}`,
        type: 'Multikey',
        controller: did,
        publicKeyMultibase: key.slice('did:key:'.length),
      })),
      service: Object.entries(state.services).map(([name, { type, endpoint }]) => ({
        id: `#${name}`,
        type,
        serviceEndpoint: endpoint,
      })),
    }
  )
}

/** The state of an identity. */
export type PlcState = Pick<PlcOperation, 'verificationMethods' | 'rotationKeys' | 'alsoKnownAs' | 'services'>

/** Returns the state that an operation sets; undefined for a tombstone. */
export function stateAfter(operation: Logged | undefined): PlcState | undefined {
  if (operation?.type === 'plc_operation') return operation
  if (operation?.type !== 'create') return undefined
  const { signingKey, recoveryKey, handle, service } = operation
  const endpoint = /^https?:\/\//.test(service) ? service : `https://${service}`
  return {
    alsoKnownAs: [handle.startsWith('at://') ? handle : `at://${handle}`],
    verificationMethods: { atproto: signingKey },
    rotationKeys: [recoveryKey, signingKey],
    services: { atproto_pds: { type: 'AtprotoPersonalDataServer', endpoint } },
  }
}
