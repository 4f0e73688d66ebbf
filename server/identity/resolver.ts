/** From a DID to its document: accounts that live here, did:plc by the directory, did:web. */
import { type DidDocument, parseDidDocument } from './did-document.ts'
import { guardedFetch } from './guarded-fetch.ts'
import { parseJson } from './json.ts'
import { directoryUrl } from './plc-directory.ts'

export type DidResolverOptions = {
  /** Address of the did:plc directory; without one no did:plc but those that live here is known. */
  plcUrl?: string | undefined
  /** Lets did:web documents come from this machine and its network, and from localhost by plain http. */
  allowPrivate: boolean
  now: () => Date
  /** The document of an account that lives here. It is asked first and never cached. */
  local?: (did: string) => DidDocument | undefined
}

/** Finds the document of a DID; with `refresh`, past the cache. Throws UnresolvableDid, also when `signal` ends the search. */
export type ResolveDid = (
  did: string,
  options?: { refresh?: boolean; signal?: AbortSignal },
) => Promise<DidDocument>

/** There is no document to be had for the DID, at least not now; `message` says why and is safe to show. */
export class UnresolvableDid extends Error {
  override name = 'UnresolvableDid'
}

const CACHE_MS = 5 * 60_000
const CACHE_ENTRIES = 500

/** Makes a resolver for the DID methods of atproto, did:plc and did:web, that remembers what it found for five minutes. */
export function createDidResolver(options: DidResolverOptions): ResolveDid {
  const { now, local } = options
  // In order of last use, for a Map keeps the order of insertion.
  const cache = new Map<string, { document: DidDocument; until: number }>()

  function cached(did: string): DidDocument | undefined {
    const entry = cache.get(did)
    if (!entry || entry.until <= now().getTime()) return undefined
    cache.delete(did)
    cache.set(did, entry)
    return entry.document
  }

  function remember(did: string, document: DidDocument): void {
    cache.delete(did)
    cache.set(did, { document, until: now().getTime() + CACHE_MS })
    const [oldest] = cache.keys()
    if (cache.size > CACHE_ENTRIES && oldest !== undefined) cache.delete(oldest)
  }

  return async (did, { refresh = false, signal } = {}) => {
    const known = local?.(did) ?? (refresh ? undefined : cached(did))
    if (known) return known
    const document = parseDidDocument(await fetchDocument(did, options, signal), did)
    if (!document) throw new UnresolvableDid(`${did}: the answer is not its DID document`)
    remember(did, document)
    return document
  }
}

async function fetchDocument(
  did: string,
  options: DidResolverOptions,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const { url, allowPrivate } = documentUrl(did, options)
  const headers = { accept: DOCUMENT_TYPES }
  const response = await guardedFetch(url, { allowPrivate, headers, signal }).catch((cause: Error) => {
    throw new UnresolvableDid(`${did}: ${cause.message}`, { cause })
  })
  if (response.status !== 200) throw new UnresolvableDid(`${did}: ${url} answered ${response.status}`)
  return parseJson(response.body)
}

const DOCUMENT_TYPES = 'application/did+ld+json, application/did+json, application/json'

function documentUrl(did: string, options: DidResolverOptions): { url: string; allowPrivate: boolean } {
  const { plcUrl, allowPrivate } = options
  if (/^did:plc:[a-z2-7]{24}$/.test(did)) {
    if (!plcUrl) throw new UnresolvableDid(`${did}: no did:plc directory is configured`)
    // The directory is the owner's own setting, and may well run on this machine.
    return { url: directoryUrl(plcUrl, did), allowPrivate: true }
  }
  // atproto takes did:web without a path, and a port as %3A.
  const [, host, port] = /^did:web:([a-z0-9.-]+)(?:%3a(\d{1,5}))?$/i.exec(did) ?? []
  if (!host) throw new UnresolvableDid(`${did}: neither a did:plc nor a did:web of a host`)
  const scheme = allowPrivate && host === 'localhost' ? 'http' : 'https'
  return { url: `${scheme}://${host}${port ? `:${port}` : ''}/.well-known/did.json`, allowPrivate }
}
