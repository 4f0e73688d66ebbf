/** Search in the names and descriptions of starter packs. */
import { app } from '../../../../lexicons/generated/index.ts'
import { newestPacks } from '../../tables/starter-packs.ts'
import { recordsById } from '../../tables/view-records.ts'
import type { ViewContext } from '../load/context.ts'
import { takePage } from './pages.ts'
import { type StarterPack, starterPacksById } from './starter-packs.ts'
import { patternOf, termsOf, wordsOf } from './terms.ts'

interface SearchParams {
  readonly q: string
  readonly limit: number
  readonly cursor?: string | undefined
}

/** Starter packs that are searched: the newest. */
const maxSearched = 1000

const { starterpack } = app.example.graph

/** Returns a page of the starter packs with all words of a text, newest first. */
export function searchStarterPacks(
  ctx: ViewContext,
  params: SearchParams,
): { packs: StarterPack[]; cursor: string | undefined } {
  const terms = termsOf(wordsOf(params.q)).map(patternOf)
  const collection = ctx.names.stored(starterpack.$type)
  const { items, cursor } = takePage(params, ({ before, limit }) => {
    const ids = newestPacks(ctx.db, collection, { before, limit: maxSearched })
    const texts = new Map(recordsById(ctx.db, ids).map((row) => [row.id, textOf(ctx, row)]))
    return ids.filter((id) => matches(terms, texts.get(id))).slice(0, limit)
  })
  return { packs: starterPacksById(ctx, items), cursor }
}

/** Undefined for an invalid starter pack. */
function textOf(ctx: ViewContext, row: ReturnType<typeof recordsById>[number]): string | undefined {
  const value = ctx.records.read(starterpack.main, row)?.value
  return value && `${value.name}\n${value.description ?? ''}`
}

function matches(terms: readonly RegExp[], text: string | undefined): boolean {
  return text !== undefined && terms.every((term) => term.test(text))
}
