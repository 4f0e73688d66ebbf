/** Finds the server on which an account lives. */
import { type DidString, isValidDid, isValidHandle } from '@atproto/syntax'
import { handleOf, pdsEndpointOf } from '../../identity/did/did-document.ts'
import type { ResolveHandle } from '../../identity/did/handle-resolver.ts'
import type { ResolveDid } from '../../identity/did/resolver.ts'
import type { Config } from '../../platform/config/config.ts'
import { moveRefused } from './refused.ts'

export interface FindDeps {
  readonly config: Pick<Config, 'allowPrivateTargets'>
  readonly resolveDid: ResolveDid
  readonly resolveHandle: ResolveHandle | undefined
}

export interface FoundAccount {
  readonly did: DidString
  readonly handle: string | undefined
  /** Origin of its server. */
  readonly server: string
}

/** @param identifier handle or DID @throws XrpcError `MoveRefused`, UnresolvableDid */
export async function findAccount(deps: FindDeps, identifier: string): Promise<FoundAccount> {
  const text = identifier.trim().replace(/^@/, '')
  return accountOf(deps, isValidDid(text) ? text : await didOf(deps, text.toLowerCase()))
}

/** Returns an account by its DID document. @throws XrpcError `MoveRefused`, UnresolvableDid */
export async function accountOf({ resolveDid }: FindDeps, did: DidString): Promise<FoundAccount> {
  const document = await resolveDid(did, { maxAgeMs: 0 })
  const server = pdsEndpointOf(document)
  if (server === undefined) throw moveRefused(`The document of ${did} names no server`)
  return { did, handle: handleOf(document), server }
}

async function didOf({ resolveHandle }: FindDeps, handle: string): Promise<DidString> {
  if (!isValidHandle(handle)) throw moveRefused('Enter a handle, such as alice.example, or a DID')
  const did = await resolveHandle?.(handle, { maxAgeMs: 0 })
  if (did === undefined) {
    throw moveRefused(`No account with the handle ${handle} was found. Enter the address of its server.`)
  }
  return did
}

/** Parses the address of a server as a person types it. @returns its origin @throws XrpcError `MoveRefused` */
export function serverOrigin(text: string): string {
  const trimmed = text.trim()
  const url = URL.parse(/^https?:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`)
  if (!url) throw moveRefused('Enter the address of a server, such as https://pds.example')
  return url.origin
}
