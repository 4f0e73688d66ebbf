/** Search for accounts by handle and display name. */
import { wordsOf } from '../../../repository/records/name-words.ts'
import { search, type Term } from '../../../repository/tables/name-words.ts'
import { isHidden } from '../filter/actors.ts'
import { loadActors } from '../load/actors.ts'
import type { ViewContext } from '../load/context.ts'

/** Terms of a search, and words of a term, beyond these are ignored. */
const maxTerms = 4

/** Returns a page of matching accounts, the best match first. Accounts that are blocked in either direction are left out. */
export function searchActors(
  ctx: ViewContext,
  text: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): { ids: number[]; next: number | undefined } {
  const terms = termsOf(text)
  if (terms.length === 0) return { ids: [], next: undefined }
  const found = search(ctx.db, { terms, viewer: ctx.viewer, offset, limit: limit + 1 })
  const ids = found.slice(0, limit)
  loadActors(ctx, ids)
  return {
    ids: ids.filter((id) => !isHidden(ctx, id)),
    next: found.length > limit ? offset + limit : undefined,
  }
}

/** Splits a text into terms. A term is the start of a handle or of a name: `jean-luc` finds both. */
function termsOf(text: string): Term[] {
  const terms = text.trim().replace(/^@/, '').split(/\s+/).slice(0, maxTerms)
  return terms
    .map((term) => ({ handle: term.toLowerCase(), words: wordsOf(term).slice(0, maxTerms) }))
    .filter(({ handle }) => handle !== '')
}
