/** Records from a cache that the owner has configured, for authors whose hosts do not answer. It is trusted: it proves nothing. */
import { encode } from '@atproto/lex-cbor'
import { cidForCbor } from '@atproto/lex-data'
import { type JsonValue, jsonToLex } from '@atproto/lex-json'
import { guardedFetch } from '../../platform/network/client.ts'
import { isObject, isString, parseJson } from '../../platform/util/json.ts'
import type { RemoteChange } from '../remote/change.ts'
import type { Link } from './link.ts'

/** Returns a record; undefined if the cache does not have it or does not answer. */
export type CachedRecord = (link: Link) => Promise<RemoteChange | undefined>

interface Options {
  /** Base URL of the service. */
  readonly url: string
  readonly userAgent: string
  /** Aborts requests. */
  readonly signal: AbortSignal
}

/** The cache states no revision. Every commit is later than this one and replaces the cached record. */
const earliestRev = '2222222222222'
/** Bytes of a response: a record may have 1 MiB. */
const maxBytes = 1_500_000

export function createCachedRecord({ url, userAgent, signal }: Options): CachedRecord {
  return async ({ did, collection, rkey }) => {
    const query = new URLSearchParams({ repo: did, collection, rkey })
    const content = await guardedFetch(`${url}/xrpc/com.atproto.repo.getRecord?${query}`, {
      headers: { accept: 'application/json', 'user-agent': userAgent },
      // The cache is a setting of the owner, and may run on this machine.
      allowPrivate: true,
      maxBytes,
      signal,
    })
      .then(({ status, body }) => (status === 200 ? contentOf(parseJson(body)) : undefined))
      .catch(() => undefined)
    return content && { did, collection, rkey, rev: earliestRev, content }
  }
}

/** Returns the record of a response; undefined if its CID is not the stated one. */
async function contentOf(response: unknown): Promise<RemoteChange['content']> {
  if (!isObject(response) || !isObject(response.value) || !isString(response.cid)) return undefined
  const bytes = encode(jsonToLex(response.value as JsonValue, { strict: true }))
  const cid = (await cidForCbor(bytes)).toString()
  return cid === response.cid ? { cid, bytes } : undefined
}
