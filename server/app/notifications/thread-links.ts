/** Links of replies to the posts above them, whose authors are notified too. */
import type { Names } from '../../platform/config/aliases.ts'
import { collections } from '../../platform/config/nsids.ts'
import { linkPaths } from '../../repository/format/link-paths.ts'
import type { RecordEvent } from '../../repository/records/record-events.ts'
import type { Link } from '../../repository/tables/links.ts'
import type { Writer } from '../../store/database.ts'
import { ancestors } from '../tables/post-links.ts'
import { hiddenReplies } from '../views/filter/gates.ts'

/** Posts above a reply whose authors it notifies. The network's index counts five with the reply itself. */
const maxAncestors = 4

const parentPath = linkPaths['feed.post:reply.parent']
const rootPath = linkPaths['feed.post:reply.root']

/**
 * Returns the links of a record, of a reply with one to each of the nearest posts above its parent. Where the author of the thread has
 * hidden one of them, they end with it, and the root is left out. The links of the record must be stored.
 */
export function threadLinks(
  tx: Writer,
  { id, collection, links }: RecordEvent,
  names: Names,
): readonly Link[] {
  const parent = links.find(({ path }) => path === parentPath)
  const root = links.find(({ path }) => path === rootPath)
  if (collection !== collections.post || !parent?.record) return links
  const hidden = new Set(
    root?.record && hiddenReplies({ db: tx, names }, { did: root.did, ...root.record }).map(keyOfUri),
  )
  const above = ancestors(tx, id, maxAncestors)
  const last = above.findIndex((post) => hidden.has(keyOf(post)))
  const notified = last < 0 ? above : above.slice(0, last + 1)
  // The first is the parent.
  const further = notified.slice(1).map(({ did, ...record }): Link => ({ path: parentPath, did, record }))
  return links
    .filter(({ path }) => path !== rootPath || last < 0)
    .flatMap((link) => (link === parent ? [link, ...further] : link))
}

const keyOf = ({ did, rkey }: { readonly did: string; readonly rkey: string }) => `${did} ${rkey}`

function keyOfUri(uri: string): string {
  const [, , did = '', , rkey = ''] = uri.split('/')
  return keyOf({ did, rkey })
}
