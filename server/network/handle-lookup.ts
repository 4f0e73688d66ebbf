/**
 * Looks up the DID of a handle at its domain: the DNS record `_atproto.<handle>`, else `https://<handle>/.well-known/atproto-did`
 * (atproto handle specification).
 */
import { Resolver } from 'node:dns/promises'
import { type DidString, isValidDid } from '@atproto/syntax'
import { type FindAddresses, OutboundRefused } from './guard.ts'
import { guardedFetch, OutboundFailed, type OutboundResponse } from './guarded-fetch.ts'

interface Options {
  /** Addresses of name servers, each with an optional port; those of the system if empty. */
  readonly nameServers: readonly string[]
  readonly allowPrivate: boolean
  /** Aborts look-ups. */
  readonly signal?: AbortSignal | undefined
  /** Replaces `guardedFetch`. */
  readonly fetch?: typeof guardedFetch
}

/** Returns the DID that the domain of a handle names; undefined if it names none, or several, or does not answer. */
export type LookUpHandle = (handle: string) => Promise<DidString | undefined>

const dnsLimits = { timeout: 2_000, tries: 2 }
const maxRedirects = 3
const maxBytes = 2_048

export function createHandleLookup(options: Options): LookUpHandle {
  const resolver = new Resolver(dnsLimits)
  const isConfigured = options.nameServers.length > 0
  if (isConfigured) resolver.setServers(options.nameServers)
  const findAddresses = isConfigured ? addressesBy(resolver) : undefined
  options.signal?.addEventListener('abort', () => resolver.cancel(), { once: true })

  return async (handle) => {
    // At the same time: a name server that does not answer must not delay the file.
    const file = didInFile(handle, options, findAddresses)
    const dids = await didsInDns(resolver, handle)
    return dids.length > 1 ? undefined : (dids[0] ?? (await file))
  }
}

/** The DIDs in the TXT records of a handle, each once. */
async function didsInDns(resolver: Resolver, handle: string): Promise<DidString[]> {
  // Errors are answers too: no such name, no record of this type.
  const records = await resolver.resolveTxt(`_atproto.${handle}`).catch(() => [])
  const dids = records
    .map((parts) => parts.join(''))
    .filter((text) => text.startsWith('did='))
    .map((text) => text.slice('did='.length).trim())
  return [...new Set(dids.filter((did): did is DidString => isValidDid(did)))]
}

/** Finds addresses by the same name servers as the records. */
function addressesBy(resolver: Resolver): FindAddresses {
  return async (host) => {
    const [v4, v6] = await Promise.all([
      resolver.resolve4(host).catch(() => []),
      resolver.resolve6(host).catch(() => []),
    ])
    const found = [
      ...v4.map((address) => ({ address, family: 4 })),
      ...v6.map((address) => ({ address, family: 6 })),
    ]
    if (found.length === 0) throw new Error(`${host} has no address`)
    return found
  }
}

async function didInFile(
  handle: string,
  { fetch = guardedFetch, allowPrivate, signal }: Options,
  findAddresses: FindAddresses | undefined,
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
  // Without TLS anyone on the way could claim the handle.
  return next?.protocol === 'https:' ? next.href : undefined
}
