/** Requests to the did:plc directory, when one is configured. */

import { guardedFetch, OutboundFailed, type OutboundResponse } from '../../platform/network/client.ts'
import { isObject, isString, parseJson } from '../../util/json.ts'
import { type PlcOperation, parseOperation } from './did-plc.ts'

/** Returns the URL at which the directory serves the document of a DID (GET) and accepts its operations (POST). */
export function directoryUrl(plcUrl: string, did: string): string {
  return `${plcUrl.replace(/\/+$/, '')}/${encodeURIComponent(did)}`
}

/** The directory refused an operation, and its log lacks it. */
export class PlcRefused extends OutboundFailed {
  override name = 'PlcRefused'
  /** The HTTP status of the answer. */
  readonly status: number

  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

interface Options {
  readonly signal?: AbortSignal | undefined
}

/** A log holds up to 4 kB an operation. */
const maxLogBytes = 4 * 1024 * 1024

/**
 * Submits an operation. Idempotent: when the directory refuses it or does not answer, the operation counts as submitted if
 * the log has it.
 * @throws PlcRefused with the message of the directory; OutboundFailed if the directory may have the operation
 */
export async function submitOperation(
  plcUrl: string,
  did: string,
  operation: PlcOperation,
  options: Options = {},
): Promise<void> {
  const failed = await post(plcUrl, did, operation, options).catch((error: OutboundFailed) => error)
  if (!failed) return
  const isInLog = await hasOperation(plcUrl, did, operation, options).catch(() => undefined)
  if (isInLog) return
  // After an answer the log is final. If none came, the request may still arrive.
  if (failed instanceof PlcRefused && isInLog === undefined) throw new OutboundFailed(failed.message)
  throw failed
}

async function post(
  plcUrl: string,
  did: string,
  operation: PlcOperation,
  options: Options,
): Promise<undefined> {
  const response = await guardedFetch(directoryUrl(plcUrl, did), {
    ...options,
    // The directory is a setting of the owner, and may run on this machine.
    allowPrivate: true,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(operation),
  })
  if (response.status < 200 || response.status >= 300) {
    throw new PlcRefused(failureOf(response), response.status)
  }
}

/**
 * Whether the log has an operation. A signature covers the whole operation and has one encoding, so it identifies it.
 * @throws OutboundFailed
 */
export async function hasOperation(
  plcUrl: string,
  did: string,
  operation: PlcOperation,
  options: Options = {},
): Promise<boolean> {
  const log = await operationLog(plcUrl, did, options)
  return log?.some((entry) => isObject(entry) && entry.sig === operation.sig) ?? false
}

/**
 * Returns the operations of a DID as the directory serves them, the oldest first; undefined if it does not have the DID.
 * @throws OutboundFailed
 */
export async function operationLog(
  plcUrl: string,
  did: string,
  options: Options = {},
): Promise<unknown[] | undefined> {
  return getLog(`${directoryUrl(plcUrl, did)}/log`, options)
}

/**
 * Returns the operations of a DID with those that a directory has nullified, as it serves them; undefined if it does not have the DID.
 * @throws OutboundFailed
 */
export async function auditLog(
  plcUrl: string,
  did: string,
  options: Options = {},
): Promise<unknown[] | undefined> {
  return getLog(`${directoryUrl(plcUrl, did)}/log/audit`, options)
}

/**
 * Returns the last operation of a DID, which is its current state. Undefined if the directory does not have the DID, or if the
 * operation is not a `plc_operation` (a tombstone: the DID was deactivated for good).
 * @throws OutboundFailed
 */
export async function lastOperation(
  plcUrl: string,
  did: string,
  options: Options = {},
): Promise<PlcOperation | undefined> {
  return parseOperation(await get(`${directoryUrl(plcUrl, did)}/log/last`, options))
}

/** Fetches a log; undefined for 404 and 410. @throws OutboundFailed, also for an answer that is none, such as the page of a proxy */
async function getLog(url: string, options: Options): Promise<unknown[] | undefined> {
  const log = await get(url, options)
  if (log !== undefined && !Array.isArray(log))
    throw new OutboundFailed('The did:plc directory answered with something other than a log')
  return log
}

/** Fetches JSON; undefined for 404 and 410. @throws OutboundFailed */
async function get(url: string, options: Options): Promise<unknown> {
  const response = await guardedFetch(url, { ...options, allowPrivate: true, maxBytes: maxLogBytes })
  if (response.status === 404 || response.status === 410) return undefined
  if (response.status !== 200) throw new OutboundFailed(failureOf(response))
  const answer = parseJson(response.body)
  if (answer === undefined)
    throw new OutboundFailed('The did:plc directory answered with something other than JSON')
  return answer
}

function failureOf({ status, body }: OutboundResponse): string {
  const answer = parseJson(body)
  const reason = isObject(answer) && isString(answer.message) ? answer.message : body.toString()
  return `The did:plc directory answered ${status}: ${reason.slice(0, 200)}`
}
