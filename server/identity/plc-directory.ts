/** Requests to the did:plc directory, when one is configured. */

import { guardedFetch, OutboundFailed, type OutboundResponse } from '../network/guarded-fetch.ts'
import { type PlcOperation, parseOperation } from './did-plc.ts'
import { isObject, parseJson } from './json.ts'

/** Returns the URL at which the directory serves the document of a DID (GET) and accepts its operations (POST). */
export function directoryUrl(plcUrl: string, did: string): string {
  return `${plcUrl.replace(/\/+$/, '')}/${encodeURIComponent(did)}`
}

interface Options {
  /** Aborts the requests. */
  readonly signal?: AbortSignal | undefined
}

/** A log holds up to 4 kB an operation. */
const maxLogBytes = 4 * 1024 * 1024

/**
 * Submits an operation. Idempotent: when the directory refuses it or does not answer, the operation counts as submitted if
 * the log has it.
 * @throws OutboundFailed, with the message of the directory if it refuses
 */
export async function submitOperation(
  plcUrl: string,
  did: string,
  operation: PlcOperation,
  options: Options = {},
): Promise<void> {
  try {
    await post(plcUrl, did, operation, options)
  } catch (error) {
    const isInLog = await hasOperation(plcUrl, did, operation, options).catch(() => false)
    if (!isInLog) throw error
  }
}

async function post(plcUrl: string, did: string, operation: PlcOperation, options: Options): Promise<void> {
  const response = await guardedFetch(directoryUrl(plcUrl, did), {
    ...options,
    // The directory is a setting of the owner, and may run on this machine.
    allowPrivate: true,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(operation),
  })
  if (response.status < 200 || response.status >= 300) throw failure(response)
}

/** Whether the log has an operation. A signature covers the whole operation and has one encoding, so it identifies it. */
async function hasOperation(
  plcUrl: string,
  did: string,
  operation: PlcOperation,
  options: Options,
): Promise<boolean> {
  const log = await get(`${directoryUrl(plcUrl, did)}/log`, options)
  return Array.isArray(log) && log.some((entry) => isObject(entry) && entry.sig === operation.sig)
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

/** Fetches JSON; undefined for 404 and 410. */
async function get(url: string, options: Options): Promise<unknown> {
  const response = await guardedFetch(url, { ...options, allowPrivate: true, maxBytes: maxLogBytes })
  if (response.status === 404 || response.status === 410) return undefined
  if (response.status !== 200) throw failure(response)
  return parseJson(response.body)
}

function failure({ status, body }: OutboundResponse): OutboundFailed {
  return new OutboundFailed(`The did:plc directory answered ${status}: ${body.toString().slice(0, 200)}`)
}
