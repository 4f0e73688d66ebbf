/** Handles of actors that live elsewhere: verification, and other names for handles that are taken. */
import { type HandleString, isValidHandle } from '@atproto/syntax'
import type { ResolveHandle } from '../../identity/did/handle-resolver.ts'
import type { Names } from '../../platform/config/aliases.ts'
import { OutboundFailed } from '../../platform/network/client.ts'
import { OutboundRefused } from '../../platform/network/guard.ts'
import { isObject, isString, parseJson } from '../../util/json.ts'
import { TooManyLookups } from '../../util/shared-lookup.ts'
import { type LocateDeps, peerFetch } from './locate.ts'

export type HandleDeps = Pick<LocateDeps, 'upstreamOrigins' | 'findAddresses' | 'signal'> & {
  readonly config: LocateDeps['config']
  readonly names: Names
  /** Undefined while no directory is configured. */
  readonly resolveHandle: ResolveHandle | undefined
}

/**
 * Whether a handle that a document claims names the DID: by its domain, or by the server of the account for a `.test` handle and
 * for one under the server's own name. Undefined if that cannot be found out now.
 */
export async function isHandleOf(
  deps: HandleDeps,
  { did, handle, host }: { readonly did: string; readonly handle: string; readonly host: string },
): Promise<boolean | undefined> {
  try {
    if (isUnder(handle, host) && (await resolveAt(deps, host, handle)) === did) return true
    return (await deps.resolveHandle?.(handle, { maxAgeMs: 0 })) === did
  } catch (error) {
    if (error instanceof OutboundFailed || error instanceof TooManyLookups) return undefined
    if (error instanceof OutboundRefused) return false
    throw error
  }
}

/** Whether the server of an account decides who has a handle. */
export function isUnder(handle: string, host: string): boolean {
  return handle.endsWith('.test') || `.${handle}`.endsWith(`.${new URL(host).hostname}`)
}

const maxBytes = 2_048

/** Asks a server for the DID of a handle. @throws OutboundRefused, OutboundFailed */
export async function resolveAt(deps: HandleDeps, host: string, handle: string): Promise<string | undefined> {
  const nsid = deps.names.stored('com.core.identity.resolveHandle')
  const url = `${host}/xrpc/${nsid}?${new URLSearchParams({ handle })}`
  const { status, body } = await peerFetch(deps, host, url, maxBytes)
  const answer = parseJson(body)
  if (status >= 500 || status === 429) throw new OutboundFailed(`${host} answered ${status}`)
  return status === 200 && isObject(answer) && isString(answer.did) ? answer.did : undefined
}

/**
 * Returns the handle to show when another actor has the same one: the first label and the server, such as
 * `alice.pds-example.test` or `alice.192-168-1-20-2583.test`. Null if that makes no valid handle.
 */
export function hostHandle(handle: string, host: string): HandleString | null {
  const [label] = handle.split('.')
  const name = `${label}.${hostLabel(host)}.test`
  return isValidHandle(name) ? name : null
}

/** A host and port as one label of a handle. */
export function hostLabel(host: string): string {
  return new URL(host).host
    .toLowerCase()
    .replace(/[.:[\]]/g, '-')
    .replace(/^-+|-+$/g, '')
}
