/** Resolves DIDs to their documents: accounts of this server, did:plc by the directory, did:web by its host. */
import { guardedFetch } from '../../platform/network/client.ts'
import type { FindAddresses } from '../../platform/network/names.ts'
import { clearDeadline, setDeadline } from '../../util/deadlines.ts'
import { parseJson } from '../../util/json.ts'
import { createSharedLookup, type LookupOptions, TooManyLookups } from '../../util/shared-lookup.ts'
import { type DidDocument, parseDidDocument } from './did-document.ts'
import { directoryUrl } from './plc-directory.ts'

export type DidResolverOptions = {
  /** Address of the did:plc directory; if undefined, only a did:plc of `local` resolves. */
  plcUrl?: string | undefined
  /** Allows did:web documents of this machine and its network, and of localhost by plain http. */
  allowPrivate: boolean
  now: () => Date
  /** The document of an account whose identity is unpublished. Called before any request, each time anew. */
  local?: (did: string) => DidDocument | undefined
  /** The document to use while the DID cannot be looked up. `stale` is the last one that was found. */
  fallback?: (did: string, stale: DidDocument | undefined) => DidDocument | undefined
  /** Called with the time at which the directory sent an answer, by its clock. */
  onDirectoryTime?: (at: Date) => void
  /** Aborts every look-up. */
  signal?: AbortSignal | undefined
  /** The look-up of hosts of did:web. */
  findAddresses?: FindAddresses | undefined
  /** Called when a look-up is refused because its requester has too many under way. */
  onRefused?: (() => void) | undefined
}

/** The oldest cached result that is accepted is 5 minutes old by default. */
export interface ResolveOptions extends LookupOptions {
  /** How long to wait for a look-up; by default until it ends. */
  readonly waitMs?: number
  /** Stops waiting for a look-up. The look-up goes on for other callers. */
  readonly signal?: AbortSignal
  /** Throws instead of returning an earlier document while the DID cannot be looked up. */
  readonly onlyCurrent?: boolean
  /** Throws instead of a look-up: only a kept document, or one of an account here, is returned. */
  readonly onlyKept?: boolean
}

/** Finds the document of a DID. Throws UnresolvableDid, also when `signal` aborts. */
export type ResolveDid = (did: string, options?: ResolveOptions) => Promise<DidDocument>

/** The DID has no document, or it cannot be looked up now; `message` gives the reason and is safe to show. */
export class UnresolvableDid extends Error {
  override name = 'UnresolvableDid'
  /** Whether the look-up itself failed, so that the DID may have a document. */
  readonly isOutage: boolean
  /** Whether its holder has ended the DID. */
  readonly isEnded: boolean
  /** Whether the directory or the host answered that it has no document. */
  readonly isMissing: boolean

  constructor(
    message: string,
    options: ErrorOptions & { isOutage?: boolean; isEnded?: boolean; isMissing?: boolean } = {},
  ) {
    super(message, options)
    this.isOutage = options.isOutage ?? false
    this.isEnded = options.isEnded ?? false
    this.isMissing = options.isMissing ?? false
  }
}

const DOCUMENT_MAX_AGE_MS = 5 * 60_000
/** Failures are cached too, so that calls with an unresolvable DID share one request. */
const FAILURE_MAX_AGE_MS = 10_000
const CACHE_ENTRIES = 500

/** Creates a resolver for the DID methods of atproto. Concurrent look-ups of one DID share one request. */
export function createDidResolver(options: DidResolverOptions): ResolveDid {
  const { local, fallback, now, onRefused } = options
  const documents = createSharedLookup<DidDocument>({
    now,
    foundMs: DOCUMENT_MAX_AGE_MS,
    missingMs: FAILURE_MAX_AGE_MS,
    entries: CACHE_ENTRIES,
    keepsFailure: (error) => error instanceof UnresolvableDid,
    onRefused,
  })

  async function find(did: string): Promise<DidDocument> {
    const document = parseDidDocument(await fetchDocument(did, options), did)
    if (!document) throw new UnresolvableDid(`${did}: the response is not its DID document`)
    return document
  }

  return async (did, { waitMs, signal, onlyCurrent, onlyKept, ...wanted } = {}) => {
    const known = documents.kept(did, wanted.maxAgeMs) ?? local?.(did)
    if (known) return known
    if (onlyKept) throw new UnresolvableDid(`${did}: not looked up yet`, { isOutage: true })
    try {
      return await waitFor(
        did,
        documents.get(did, () => find(did), wanted),
        waitMs,
        signal,
      )
    } catch (reason) {
      const error = reason instanceof TooManyLookups ? busy(did, reason) : reason
      const isOutage = error instanceof UnresolvableDid && error.isOutage
      const last = documents.kept(did, Number.POSITIVE_INFINITY)
      const substitute = isOutage && !onlyCurrent ? fallback?.(did, last) : undefined
      if (!substitute) throw error
      return substitute
    }
  }
}

/** Returns the error for a requester with too many running look-ups. */
export function busy(did: string, cause: TooManyLookups): UnresolvableDid {
  return new UnresolvableDid(`${did}: too many look-ups`, { isOutage: true, cause })
}

/** Rejects when the time is over or the signal aborts; the look-up goes on. */
async function waitFor(
  did: string,
  lookUp: Promise<DidDocument>,
  waitMs: number | undefined,
  signal: AbortSignal | undefined,
): Promise<DidDocument> {
  if (waitMs === undefined && !signal) return lookUp
  const stopped = Promise.withResolvers<never>()
  const stop = () => stopped.reject(new UnresolvableDid(`${did}: no response yet`, { isOutage: true }))
  const timer = waitMs === undefined ? undefined : setDeadline(stop, waitMs)
  if (signal?.aborted) stop()
  signal?.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([lookUp, stopped.promise])
  } finally {
    clearDeadline(timer)
    signal?.removeEventListener('abort', stop)
  }
}

async function fetchDocument(did: string, options: DidResolverOptions): Promise<unknown> {
  const { url, allowPrivate, findAddresses } = documentUrl(did, options)
  const headers = { accept: DOCUMENT_TYPES }
  const { signal } = options
  const response = await guardedFetch(url, { allowPrivate, headers, signal, findAddresses }).catch(
    (cause: Error) => {
      throw new UnresolvableDid(`${did}: ${cause.message}`, { cause, isOutage: true })
    },
  )
  const sentAt = new Date(response.headers.date ?? '')
  if (did.startsWith('did:plc:') && !Number.isNaN(sentAt.getTime())) options.onDirectoryTime?.(sentAt)
  if (response.status === 200) return parseJson(response.body)
  const isOutage = response.status >= 500 || response.status === 429
  const isEnded = response.status === 410
  const isMissing = response.status === 404
  throw new UnresolvableDid(`${did}: ${url} answered ${response.status}`, { isOutage, isEnded, isMissing })
}

const DOCUMENT_TYPES = 'application/did+ld+json, application/did+json, application/json'

function documentUrl(
  did: string,
  { plcUrl, allowPrivate, findAddresses }: DidResolverOptions,
): { url: string; allowPrivate: boolean; findAddresses?: FindAddresses | undefined } {
  if (/^did:plc:[a-z2-7]{24}$/.test(did)) {
    if (!plcUrl) throw new UnresolvableDid(`${did}: no did:plc directory is configured`)
    // The directory is a setting of the owner, and may run on this machine.
    return { url: directoryUrl(plcUrl, did), allowPrivate: true }
  }
  // atproto allows did:web without a path, and a port as %3A.
  const [, host, port] = /^did:web:([a-z0-9.-]+)(?:%3a(\d{1,5}))?$/i.exec(did) ?? []
  if (!host) throw new UnresolvableDid(`${did}: neither a did:plc nor a did:web of a host`)
  const scheme = allowPrivate && host === 'localhost' ? 'http' : 'https'
  return {
    url: `${scheme}://${host}${port ? `:${port}` : ''}/.well-known/did.json`,
    allowPrivate,
    findAddresses,
  }
}
