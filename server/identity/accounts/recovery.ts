/**
 * Recovery of an identity by the holder of one of its rotation keys, while its server is lost or hostile: where in the log of the
 * identity an operation of the key may be added, by the rules of did:plc.
 */

import { OutboundFailed } from '../../platform/network/client.ts'
import type { Platform } from '../../platform/platform.ts'
import { XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import { isObject, isString } from '../../util/json.ts'
import type { DidKey } from '../../util/keys.ts'
import { inTurn } from '../../util/turns.ts'
import { cidOf, InvalidPlcOperation, type PlcOperation, signerOf } from '../did/did-plc.ts'
import { auditLog } from '../did/plc-directory.ts'
import { type Logged, type PlcState, rotationKeysOf, stateAfter, verifyLog } from '../did/plc-log.ts'

interface Deps extends Pick<Platform, 'now'> {
  readonly config: Pick<Platform['config'], 'plcUrl'>
  readonly signal?: AbortSignal
}

/** A stronger key replaces operations of a weaker one within this time, in milliseconds (did:plc specification). */
const windowMs = 72 * 60 * 60_000

/** A hostile server must not prevent a recovery: in 72 hours, a directory accepts up to 90 operations of ten keys each. */
const logLimits = { operations: 200, checks: 1_250 }

/** An operation in force. */
interface Entry {
  readonly operation: Logged
  readonly cid: string
  /** When the directory accepted it. */
  readonly at: Date
}

/** Where the next operation of a key goes. */
export interface Place {
  /** The state that the operation changes. */
  readonly state: PlcState
  /** `prev` of the operation. */
  readonly prev: string
  /** Position of the key among the rotation keys of `state`; 0 is the strongest. */
  readonly position: number
  /** Number of later operations that it replaces. */
  readonly replaces: number
  /** Until when it can replace them. */
  readonly until: Date | undefined
}

/** Errors of recoveries. Methods that throw them declare them; the messages are for people. */
type RecoveryErrorName =
  | 'IdentityNotFound'
  | 'IdentityEnded'
  | 'KeyNotFound'
  | 'KeyOverruled'
  | 'RecoveryTooLate'
  | 'DirectoryUnavailable'

const messages: Readonly<Record<RecoveryErrorName, string>> = {
  IdentityNotFound:
    'The directory does not have this identity. An identity that was never published is brought back from a backup or a copy.',
  IdentityEnded: 'This identity was ended for good, and no key can bring it back',
  KeyNotFound:
    'This key does not control the identity. A character may be wrong, or it is the key of another account.',
  KeyOverruled: 'A stronger key has removed this key from the identity, so it can no longer change it',
  RecoveryTooLate:
    'This key was removed from the identity more than 72 hours ago. Only within that time it could have been undone.',
  DirectoryUnavailable:
    'The directory of identities cannot be reached, or its answer is not valid. Try again later.',
}

function recoveryError(name: RecoveryErrorName): XrpcError {
  return new XrpcError(name, messages[name])
}

/** Finds the place of the next operation of a key. @throws XrpcError with a `RecoveryErrorName` */
export async function findPlace(deps: Deps, did: string, key: DidKey): Promise<Place> {
  return placeOf(await readLog(deps, did), key, deps.now())
}

/**
 * Verifies that an operation can be added to the log of an identity: the holder of a rotation key has signed it, for this moment
 * of the identity. Returns the operation before it. @throws XrpcError with a `RecoveryErrorName`; InvalidPlcOperation
 */
export async function verifyNext(deps: Deps, did: string, operation: PlcOperation): Promise<Logged> {
  const entries = await readLog(deps, did)
  const previous = entries.find(({ cid }) => cid === operation.prev)
  const keys = previous ? rotationKeysOf(previous.operation) : []
  const key = keys[(await signerOf(keys, operation)) ?? keys.length]
  if (previous && !key) throw new InvalidPlcOperation('The operation is not signed by a key of the identity')
  const place = key && (await placeOf(entries, key, deps.now()))
  if (previous && place?.prev === operation.prev) return previous.operation
  throw new InvalidPlcOperation('The identity has changed since the operation was signed. Start again.')
}

/**
 * Returns the place where the key is strongest, the newest of several: the holder of a weaker key may have put the key below its own, or
 * removed it, in one step or more.
 */
async function placeOf(entries: readonly Entry[], key: DidKey, now: Date): Promise<Place> {
  const isEnded = entries.at(-1)?.operation.type === 'plc_tombstone'
  let best: Place | undefined
  let refusal: RecoveryErrorName | undefined
  for (let index = entries.length - 1; index >= 0; index--) {
    const place = await placeAfter(entries, index, key, now)
    if (typeof place === 'string') refusal ??= place
    else if (place && place.position < (best?.position ?? Number.POSITIVE_INFINITY)) best = place
  }
  if (best) return best
  throw recoveryError(isEnded ? 'IdentityEnded' : (refusal ?? 'KeyNotFound'))
}

/** Returns the place after an operation, or why there is none; undefined if the operation does not name the key. */
async function placeAfter(
  entries: readonly Entry[],
  index: number,
  key: DidKey,
  now: Date,
): Promise<Place | RecoveryErrorName | undefined> {
  const [previous, replaced] = entries.slice(index, index + 2)
  const state = stateAfter(previous?.operation)
  const position = state?.rotationKeys.indexOf(key) ?? -1
  if (!previous || !state || position < 0) return undefined
  if (replaced) {
    const stronger = state.rotationKeys.slice(0, position + 1)
    if ((await inTurn(() => signerOf(stronger, replaced.operation))) !== undefined) return 'KeyOverruled'
  }
  const until = replaced && new Date(replaced.at.getTime() + windowMs)
  if (until && now > until) return 'RecoveryTooLate'
  return { state, prev: previous.cid, position, replaces: entries.length - index - 1, until }
}

/** Reads and verifies the operations in force, the oldest first. @throws XrpcError with a `RecoveryErrorName` */
async function readLog({ config: { plcUrl }, signal }: Deps, did: string): Promise<Entry[]> {
  if (plcUrl === undefined) throw recoveryError('DirectoryUnavailable')
  try {
    const log = await auditLog(plcUrl, did, { signal })
    if (log === undefined || log.length === 0) throw recoveryError('IdentityNotFound')
    const inForce = log.filter(isObject).filter(({ nullified }) => nullified !== true)
    const verified = await verifyLog(
      did,
      inForce.map(({ operation }) => operation),
      logLimits,
    )
    return verified.map((operation, index) => ({
      operation,
      cid: cidOf(operation),
      at: timeOf(inForce[index]?.createdAt),
    }))
  } catch (error) {
    if (error instanceof OutboundFailed || error instanceof InvalidPlcOperation)
      throw recoveryError('DirectoryUnavailable')
    throw error
  }
}

const latest = Date.UTC(9999)

function timeOf(value: unknown): Date {
  const at = new Date(isString(value) ? value : Number.NaN)
  // The holder gets the time as a text, which absurd ones lack.
  if (!(at.getTime() >= 0 && at.getTime() < latest))
    throw new InvalidPlcOperation('An operation of the log has no time')
  return at
}
