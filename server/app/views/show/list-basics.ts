/** Basic views of lists. */
import type { ViewContext } from '../load/context.ts'
import type { List } from '../load/lists.ts'
import { blobUrl } from './images.ts'
import { selfLabels } from './labels.ts'

/** `app.example.graph.defs#listViewBasic` */
export function listViewBasic(ctx: ViewContext, list: List) {
  const { did, uri, cid, indexedAt, items, viewer, value } = list
  return {
    uri,
    cid,
    name: value.name,
    purpose: value.purpose,
    avatar: blobUrl(ctx, did, value.avatar, 'avatar_thumbnail'),
    listItemCount: items,
    labels: selfLabels(value, list),
    viewer,
    indexedAt,
  }
}
