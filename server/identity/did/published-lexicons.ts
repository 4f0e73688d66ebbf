/**
 * Lexicons that their authors publish: the DNS record `_lexicon` of an NSID's authority names a DID, whose repository has the lexicon
 * as a record, which comes with its proof (atproto specification, "Lexicon Publication and Resolution").
 */
import { isPlainObject, type LexMap } from '@atproto/lex-data'
import { type AtUriString, type DidString, isValidDid, NSID } from '@atproto/syntax'
import { guardedFetch } from '../../platform/network/client.ts'
import { queryDns } from '../../platform/network/names.ts'
import { lookupsOf, type Platform } from '../../platform/platform.ts'
import { decodeMap } from '../../repository/format/decode-map.ts'
import { verifyCommit } from '../../repository/format/verify-commit.ts'
import { createSharedLookup, type LookupOptions, TooManyLookups } from '../../util/shared-lookup.ts'
import { pdsEndpointOf, signingKeyOf } from './did-document.ts'
import { type ResolveDid, UnresolvableDid } from './resolver.ts'

export interface PublishedLexicon {
  readonly uri: AtUriString
  readonly cid: string
  /** Its `id` is the NSID, and `defs` a map; the definitions in it are unchecked. */
  readonly document: LexMap
}

/** Finds a lexicon by its NSID. @throws UnresolvableLexicon */
export type ResolveLexicon = (nsid: string, options?: LookupOptions) => Promise<PublishedLexicon>

/** The lexicon is not published, or cannot be read now; `message` gives the reason and is safe to show. */
export class UnresolvableLexicon extends Error {
  override name = 'UnresolvableLexicon'
  /** Whether the look-up was refused for load, so that a later one may succeed. */
  readonly isBusy: boolean

  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.isBusy =
      cause instanceof TooManyLookups ||
      (cause instanceof UnresolvableDid && cause.cause instanceof TooManyLookups)
  }
}

type Deps = Pick<Platform, 'config' | 'now' | 'signal' | 'findAddresses' | 'refusals'> & {
  readonly resolveDid: ResolveDid
}

/** Lexicons of other servers are stored under the network's name. */
const collection = 'com.atproto.lexicon.schema'
/** Of the proof. */
const maxBytes = 1_000_000
/** Of the record. Lexicons have some thousand. */
const maxRecordBytes = 100_000
const timeoutMs = 5_000
const keptMs = 24 * 60 * 60_000
const missingMs = 60_000

/** As it is kept: decoded, a hostile record takes 50 times as much memory. */
interface KeptLexicon extends Omit<PublishedLexicon, 'document'> {
  readonly bytes: Uint8Array
}

/** Concurrent look-ups of a lexicon share one, and results are kept for a day, for callers that accept their age. */
export function createResolveLexicon(deps: Deps): ResolveLexicon {
  const { onRefused } = lookupsOf(deps)
  const lexicons = createSharedLookup<KeptLexicon>({
    now: deps.now,
    foundMs: keptMs,
    missingMs,
    entries: 200,
    keepsFailure: (error) => error instanceof UnresolvableLexicon && !error.isBusy,
    onRefused,
  })
  return async (nsid, options = {}) => {
    try {
      const { bytes, ...lexicon } = await lexicons.get(nsid, () => fetchLexicon(nsid, options, deps), options)
      return { ...lexicon, document: decodeLexicon(nsid, bytes) }
    } catch (error) {
      throw asUnresolvable(error)
    }
  }
}

function asUnresolvable(error: unknown): UnresolvableLexicon {
  if (error instanceof UnresolvableLexicon) return error
  return new UnresolvableLexicon(error instanceof Error ? error.message : String(error), error)
}

async function fetchLexicon(nsid: string, { requester }: LookupOptions, deps: Deps): Promise<KeptLexicon> {
  try {
    return await readLexicon(nsid, await publisherOf(nsid, deps), requester, deps)
  } catch (error) {
    throw asUnresolvable(error)
  }
}

/** Returns the DID that the authority of an NSID names. Neither lower nor higher domains are asked. */
async function publisherOf(nsid: string, { config, signal }: Deps): Promise<DidString> {
  const name = `_lexicon.${NSID.parse(nsid).authority}`
  const ask = () => queryDns(config.nameServers, signal, (resolver) => resolver.resolveTxt(name))
  const records = await ask().catch((cause: NodeJS.ErrnoException) => {
    const isAnswer = cause.code === 'ENOTFOUND' || cause.code === 'ENODATA'
    const reason = isAnswer ? 'has no DNS record that names its publisher' : 'was not found by DNS'
    throw new UnresolvableLexicon(`${name} ${reason}`, cause)
  })
  const dids = records.map((parts) => parts.join('')).filter((text) => text.startsWith('did='))
  const did = dids[0]?.slice('did='.length).trim()
  if (dids.length !== 1) throw new UnresolvableLexicon(`${name} names ${dids.length} DIDs`)
  if (!isValidDid(did)) throw new UnresolvableLexicon(`${name} names no valid DID`)
  return did
}

async function readLexicon(
  nsid: string,
  did: DidString,
  requester: LookupOptions['requester'],
  { config, signal, resolveDid, findAddresses }: Deps,
): Promise<KeptLexicon> {
  const document = await resolveDid(did, { requester, signal })
  const [endpoint, signingKey] = [pdsEndpointOf(document), signingKeyOf(document)]
  if (endpoint === undefined || signingKey === undefined)
    throw new UnresolvableLexicon(`${did} has no server or key`)
  const query = new URLSearchParams({ did, collection, rkey: nsid })
  const { status, body } = await guardedFetch(`${endpoint}/xrpc/com.atproto.sync.getRecord?${query}`, {
    ...{ allowPrivate: config.allowPrivateTargets, findAddresses, maxBytes, timeoutMs, signal },
  })
  if (status !== 200) throw new UnresolvableLexicon(`${endpoint} answered with status ${status}`)
  const record = (await verifyCommit(body, { did, signingKey })).record(`${collection}/${nsid}`)
  if (!record) throw new UnresolvableLexicon(`${did} does not publish ${nsid}`)
  if (record.bytes.length > maxRecordBytes)
    throw new UnresolvableLexicon(`The record of ${nsid} has more than ${maxRecordBytes} bytes`)
  decodeLexicon(nsid, record.bytes)
  // A copy: the bytes are a part of the whole response.
  const bytes = Uint8Array.from(record.bytes)
  return { uri: `at://${did}/${collection}/${nsid}` as AtUriString, cid: record.cid, bytes }
}

/** @throws UnresolvableLexicon */
function decodeLexicon(nsid: string, bytes: Uint8Array): LexMap {
  const lexicon = decodeMap(bytes)
  if (lexicon?.lexicon !== 1 || lexicon.id !== nsid || !isPlainObject(lexicon.defs))
    throw new UnresolvableLexicon(`The record of ${nsid} is no lexicon of this name`)
  return lexicon
}
