/**
 * Permission sets: a scope `include:NSID` stands for the permissions that a published lexicon lists. It is found by the DNS record
 * `_lexicon` of the NSID's authority, and fetched with its proof from the repository that this names (atproto specification,
 * "Lexicon Publication and Resolution").
 */
import { IncludeScope, type LexiconPermissionSet } from '@atproto/oauth-scopes'
import { NSID } from '@atproto/syntax'
import { guardedFetch } from '../../platform/network/client.ts'
import { queryDns } from '../../platform/network/names.ts'
import { lookupsOf, type Platform } from '../../platform/platform.ts'
import { decodeMap } from '../../repository/format/decode-map.ts'
import { verifyCommit } from '../../repository/format/verify-commit.ts'
import type { Requester } from '../../util/requester.ts'
import { createSharedLookup, TooManyLookups } from '../../util/shared-lookup.ts'
import { pdsEndpointOf, signingKeyOf } from '../did/did-document.ts'
import { type ResolveDid, UnresolvableDid } from '../did/resolver.ts'
import { OAuthError } from './oauth-errors.ts'

/** Replaces permission sets in a text of scopes by what they contain. @throws OAuthError `invalid_scope`, `temporarily_unavailable` */
export type ExpandScope = (scope: string, requester: Requester) => Promise<string>

type Deps = Pick<Platform, 'config' | 'now' | 'signal' | 'findAddresses' | 'refusals'> & {
  readonly resolveDid: ResolveDid
}

const collection = 'com.atproto.lexicon.schema'
const maxBytes = 1_000_000
const timeoutMs = 5_000
/** A set that changes is known after this time; what was granted stays as it was shown. */
const keptMs = 24 * 60 * 60_000
const missingMs = 60_000
/** Permission sets of a request. */
const maxSets = 20

export function createPermissionSets(deps: Deps): ExpandScope {
  const { config, now, signal, resolveDid } = deps
  const { findAddresses, onRefused } = lookupsOf(deps)
  const sets = createSharedLookup<LexiconPermissionSet>({
    now,
    foundMs: keptMs,
    missingMs,
    entries: 200,
    keepsFailure: (error) => !isBusy(error),
    onRefused,
  })

  async function publisherOf(nsid: string): Promise<string> {
    const name = `_lexicon.${NSID.parse(nsid).authority}`
    const records = await queryDns(config.nameServers, signal, (resolver) => resolver.resolveTxt(name))
    const dids = records.map((parts) => parts.join('')).filter((text) => text.startsWith('did='))
    if (dids.length !== 1) throw new Error(`${name} names ${dids.length} DIDs`)
    return dids[0]?.slice('did='.length).trim() ?? ''
  }

  async function fetchSet(nsid: string, requester: Requester): Promise<LexiconPermissionSet> {
    const did = await publisherOf(nsid)
    const document = await resolveDid(did, { requester, signal })
    const [endpoint, signingKey] = [pdsEndpointOf(document), signingKeyOf(document)]
    if (endpoint === undefined || signingKey === undefined) throw new Error(`${did} has no server or key`)
    const query = new URLSearchParams({ did, collection, rkey: nsid })
    const { status, body } = await guardedFetch(`${endpoint}/xrpc/com.atproto.sync.getRecord?${query}`, {
      ...{ allowPrivate: config.allowPrivateTargets, findAddresses, maxBytes, timeoutMs, signal },
    })
    if (status !== 200) throw new Error(`${endpoint} answered with status ${status}`)
    const record = (await verifyCommit(body, { did, signingKey })).record(`${collection}/${nsid}`)
    const lexicon =
      record && (decodeMap(record.bytes) as { id?: unknown; defs?: { main?: unknown } } | undefined)
    const main = lexicon?.defs?.main as (LexiconPermissionSet & { type?: unknown }) | undefined
    if (lexicon?.id !== nsid || main?.type !== 'permission-set' || !Array.isArray(main.permissions))
      throw new Error(`${nsid} is no permission set`)
    return main
  }

  const find = (nsid: string, requester: Requester) =>
    sets
      .get(nsid, () => fetchSet(nsid, requester), { requester })
      .catch((error: unknown) => {
        if (isBusy(error))
          throw new OAuthError(
            'temporarily_unavailable',
            'Too many look-ups of permission sets. Try again in a few seconds.',
          )
        const reason = error instanceof Error ? error.message : String(error)
        throw new OAuthError('invalid_scope', `The permission set ${nsid} cannot be read: ${reason}`)
      })

  return async (scope, requester) => {
    const scopes = scope.split(' ').map((text) => ({ text, include: IncludeScope.fromString(text) }))
    if (scopes.filter(({ include }) => include).length > maxSets)
      throw new OAuthError('invalid_scope', `A request may include ${maxSets} permission sets`)
    const expanded = new Set<string>()
    // One after the other: a request takes one place of its network, and the first set that cannot be read ends it.
    for (const { text, include } of scopes) {
      const contained = include ? scopesOf(include, await find(include.nsid, requester)) : [text]
      for (const each of contained) expanded.add(each)
    }
    return [...expanded].join(' ')
  }
}

/** The library checks the permissions of a set, and throws on what is not an object. @throws OAuthError `invalid_scope` */
function scopesOf(include: IncludeScope, set: LexiconPermissionSet): string[] {
  try {
    return include.toScopes(set)
  } catch {
    throw new OAuthError('invalid_scope', `The permission set ${include.nsid} is malformed`)
  }
}

/** Whether a look-up was refused for load, so that a later one may succeed. */
function isBusy(error: unknown): boolean {
  return (
    error instanceof TooManyLookups ||
    (error instanceof UnresolvableDid && error.cause instanceof TooManyLookups)
  )
}
