/** Schemas of records from published lexicons, for clients that ask for validation of collections which this server does not know. */
import type { l } from '@atproto/lex-schema'
import type { Platform } from '../../platform/platform.ts'
import { lookupsOf } from '../../platform/platform.ts'
import { protocolError, XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import { compileRecordLexicon, MalformedLexicon } from '../../repository/records/compile-lexicon.ts'
import { pause } from '../../util/deadlines.ts'
import type { Requester } from '../../util/requester.ts'
import { createSharedLookup, TooManyLookups } from '../../util/shared-lookup.ts'
import { type ResolveLexicon, UnresolvableLexicon } from './published-lexicons.ts'

/** Returns the schema of a collection. @throws XrpcError `InvalidRequest`, `NotEnoughResources` */
export type FindSchema = (collection: string, requester: Requester) => Promise<l.RecordSchema>

/** Milliseconds after which a lexicon is looked up again: its author may change it, and its name may change owner. */
export const lexiconMaxAgeMs = 10 * 60_000
/** Milliseconds for a lexicon and those that it refers to. */
const waitMs = 15_000
const missingMs = 60_000

type Deps = Pick<Platform, 'config' | 'now' | 'findAddresses' | 'refusals'> & {
  readonly resolveLexicon: ResolveLexicon
}

/** Returns undefined without a directory, so that requests stay on this machine. */
export function createFindSchema(deps: Deps): FindSchema | undefined {
  const { config, now, resolveLexicon } = deps
  if (config.plcUrl === undefined) return undefined
  const schemas = createSharedLookup<l.RecordSchema>({
    now,
    foundMs: lexiconMaxAgeMs,
    missingMs,
    entries: 20,
    keepsFailure: (error) => error instanceof MalformedLexicon,
    onRefused: lookupsOf(deps).onRefused,
  })

  async function compile(collection: string, requester: Requester): Promise<l.RecordSchema> {
    const over = new AbortController()
    const late = pause(waitMs, { ref: false, signal: over.signal }).then(() => {
      throw new UnresolvableLexicon('it was not found in time')
    })
    late.catch(() => {})
    const load = async (nsid: string) => {
      over.signal.throwIfAborted()
      return (await resolveLexicon(nsid, { requester, maxAgeMs: lexiconMaxAgeMs })).document
    }
    try {
      return await Promise.race([compileRecordLexicon(collection, load), late])
    } finally {
      over.abort()
    }
  }

  return (collection, requester) =>
    schemas
      .get(collection, () => compile(collection, requester), { requester })
      .catch((error: unknown) => {
        throw refusalOf(collection, error)
      })
}

function refusalOf(collection: string, error: unknown): unknown {
  if (error instanceof TooManyLookups || (error instanceof UnresolvableLexicon && error.isBusy))
    return new XrpcError('NotEnoughResources', 'Too many look-ups of lexicons are under way', {
      retryAfter: 5,
    })
  return error instanceof UnresolvableLexicon || error instanceof MalformedLexicon
    ? protocolError('InvalidRequest', `The lexicon of ${collection} cannot be read: ${error.message}`)
    : error
}
