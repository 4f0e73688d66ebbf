/**
 * Looks up the DID of a handle at its domain: the DNS record `_atproto.<handle>`, else `https://<handle>/.well-known/atproto-did`
 * (atproto handle specification).
 */
import type { Resolver } from 'node:dns/promises'
import { type DidString, isValidDid } from '@atproto/syntax'
import { guardedFetch, OutboundFailed, type OutboundResponse } from './client.ts'
import { OutboundRefused } from './guard.ts'
import { type FindAddresses, queryDns } from './names.ts'

interface Options {
  /** Addresses of name servers, each with an optional port; those of the system if empty. */
  readonly nameServers: readonly string[]
  readonly allowPrivate: boolean
  /** The look-up of the domain. */
  readonly findAddresses?: FindAddresses | undefined
  /** Aborts look-ups. */
  readonly signal?: AbortSignal | undefined
  /** Replaces `guardedFetch`. */
  readonly fetch?: typeof guardedFetch
}

/** Returns the DID that the domain of a handle names; undefined if it names none or several, or fails. */
export type LookUpHandle = (handle: string) => Promise<DidString | undefined>

const maxRedirects = 3
const maxBytes = 2_048

export function createHandleLookup(options: Options): LookUpHandle {
  return async (handle) => {
    // At the same time, so that a silent name server delays only itself.
    const file = didInFile(handle, options)
    const dids = await didsInDns(handle, options)
    return dids.length > 1 ? undefined : (dids[0] ?? (await file))
  }
}

/** The DIDs in the TXT records of a handle, each once. */
async function didsInDns(handle: string, { nameServers, signal }: Options): Promise<DidString[]> {
  const ask = (resolver: Resolver) => resolver.resolveTxt(`_atproto.${handle}`)
  // Some errors are answers: an unknown name, a name without a record of this type.
  const records = await queryDns(nameServers, signal, ask).catch(() => [])
  const dids = records
    .map((parts) => parts.join(''))
    .filter((text) => text.startsWith('did='))
    .map((text) => text.slice('did='.length).trim())
  return [...new Set(dids.filter((did): did is DidString => isValidDid(did)))]
}

async function didInFile(
  handle: string,
  { fetch = guardedFetch, allowPrivate, signal, findAddresses }: Options,
): Promise<DidString | undefined> {
  let url = `https://${handle}/.well-known/atproto-did`
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const response = await fetch(url, { allowPrivate, signal, maxBytes, findAddresses }).catch(
      (error: unknown) => {
        if (error instanceof OutboundFailed || error instanceof OutboundRefused) return undefined
        throw error
      },
    )
    if (response?.status === 200) return didIn(response)
    const next = response && redirectOf(url, response)
    if (next === undefined) return undefined
    url = next
  }
  return undefined
}

function didIn({ body }: OutboundResponse): DidString | undefined {
  const did = body.toString().trim()
  return isValidDid(did) ? did : undefined
}

function redirectOf(url: string, { status, headers }: OutboundResponse): string | undefined {
  if (![301, 302, 303, 307, 308].includes(status) || headers.location === undefined) return undefined
  const next = URL.parse(headers.location, url)
  // Over plain HTTP, anyone on the way could claim the handle.
  return next?.protocol === 'https:' ? next.href : undefined
}
