/** Views of feed generators. The feeds themselves come from services elsewhere. */
import { app } from '../../../../lexicons/generated/index.ts'
import type { RecordRow } from '../../../federation/tables/graph.ts'
import { paths } from '../../../repository/format/link-paths.ts'
import * as postLinks from '../../tables/post-links.ts'
import { isHidden } from '../filter/actors.ts'
import type { ViewContext } from '../load/context.ts'
import type { ViewRecord } from '../load/records.ts'
import { blobUrl } from './images.ts'
import { selfLabels } from './labels.ts'
import { profileView } from './profiles.ts'

const { generator } = app.example.feed

export type Generator = ViewRecord<app.example.feed.generator.Main>

/** Parses a record; undefined if it is no valid feed generator. */
export function readGenerator(ctx: ViewContext, row: RecordRow): Generator | undefined {
  if (ctx.names.own(row.collection) !== generator.$type) return undefined
  return ctx.records.read(generator.main, row)
}

/** Views of the valid feed generators among the records, without blocked ones. */
export function generatorViews(ctx: ViewContext, rows: readonly RecordRow[]) {
  return rows
    .flatMap((row) => readGenerator(ctx, row) ?? [])
    .filter(({ actor }) => !isHidden(ctx, actor))
    .map((generator) => generatorView(ctx, generator))
}

/** `app.example.feed.defs#generatorView` */
export function generatorView(ctx: ViewContext, of: Generator): app.example.feed.defs.GeneratorView {
  const { id, actor, uri, cid, value, indexedAt } = of
  const collection = ctx.names.stored(generator.$type)
  const likes = postLinks.countLinks(ctx.db, [id], collection).filter(({ path }) => path === paths.like)
  const own = ctx.viewer === undefined ? [] : postLinks.linksBy(ctx.db, ctx.viewer, [id], collection)
  return {
    uri,
    cid,
    did: value.did,
    creator: profileView(ctx, actor),
    displayName: value.displayName,
    description: value.description,
    descriptionFacets: value.descriptionFacets,
    avatar: blobUrl(ctx, of.did, value.avatar, 'avatar_thumbnail'),
    likeCount: likes.reduce((sum, { count }) => sum + count, 0),
    acceptsInteractions: value.acceptsInteractions,
    labels: selfLabels(value, of),
    viewer: ctx.viewer === undefined ? undefined : { like: own.at(-1)?.uri },
    contentMode: value.contentMode,
    indexedAt,
  }
}
