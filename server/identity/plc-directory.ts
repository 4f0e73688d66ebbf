/** The did:plc directory, when one is configured. */
import type { PlcOperation } from './did-plc.ts'
import { type GuardedFetchOptions, guardedFetch, OutboundFailed } from './guarded-fetch.ts'

/** Where the did:plc directory at `plcUrl` keeps the document of `did`, and takes operations for it. */
export function directoryUrl(plcUrl: string, did: string): string {
  return `${plcUrl.replace(/\/+$/, '')}/${encodeURIComponent(did)}`
}

/** Publishes an operation in a did:plc directory. Throws OutboundFailed, with the directory's own words when it declines. */
export async function submitOperation(
  plcUrl: string,
  did: string,
  operation: PlcOperation,
  options: Pick<GuardedFetchOptions, 'timeoutMs' | 'maxBytes'> = {},
): Promise<void> {
  const { status, body } = await guardedFetch(directoryUrl(plcUrl, did), {
    ...options,
    // The directory is the owner's own setting, and may well run on this machine.
    allowPrivate: true,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(operation),
  })
  if (status >= 200 && status < 300) return
  throw new OutboundFailed(`The did:plc directory answered ${status}: ${body.toString().slice(0, 200)}`)
}
