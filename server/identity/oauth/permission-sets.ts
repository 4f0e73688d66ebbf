/** Permission sets: a scope `include:NSID` stands for the permissions that a published lexicon lists. */
import { IncludeScope, type LexiconPermissionSet } from '@atproto/oauth-scopes'
import type { Requester } from '../../util/requester.ts'
import { type ResolveLexicon, UnresolvableLexicon } from '../did/published-lexicons.ts'
import { OAuthError } from './oauth-errors.ts'

/** Replaces permission sets in a text of scopes by what they contain. @throws OAuthError `invalid_scope`, `temporarily_unavailable` */
export type ExpandScope = (scope: string, requester: Requester) => Promise<string>

/** Permission sets of a request. */
const maxSets = 20

/** A set that changes is known after a day; what was granted stays as it was shown. */
export function createPermissionSets(resolveLexicon: ResolveLexicon): ExpandScope {
  async function find(nsid: string, requester: Requester): Promise<LexiconPermissionSet> {
    const { document } = await resolveLexicon(nsid, { requester }).catch((error: unknown) => {
      throw error instanceof UnresolvableLexicon ? refusalOf(nsid, error) : error
    })
    const { main } = document.defs as { main?: LexiconPermissionSet & { type?: unknown } }
    if (main?.type !== 'permission-set' || !Array.isArray(main.permissions))
      throw unreadable(nsid, `${nsid} is no permission set`)
    return main
  }

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

function refusalOf(nsid: string, { isBusy, message }: UnresolvableLexicon): OAuthError {
  return isBusy
    ? new OAuthError(
        'temporarily_unavailable',
        'Too many look-ups of permission sets. Try again in a few seconds.',
      )
    : unreadable(nsid, message)
}

function unreadable(nsid: string, reason: string): OAuthError {
  return new OAuthError('invalid_scope', `The permission set ${nsid} cannot be read: ${reason}`)
}
