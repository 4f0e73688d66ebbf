import { com } from '../../../../../lexicons/generated/index.ts'
import { decodeCursor, encodeCursor } from '../../../../platform/xrpc/cursor.ts'
import * as repos from '../../../../repository/tables/repos.ts'
import { method } from '../../../method.ts'

export const listReposByCollection = method(com.core.sync.listReposByCollection, {
  auth: 'none',
  handler({ params, store, names, fail }) {
    const { cursor, limit } = params
    const after = cursor === undefined ? [] : decodeCursor(cursor, 2)
    if (!after) throw fail('InvalidRequest', 'Malformed cursor')
    const [createdAt = '', did = ''] = after
    const collection = names.stored(params.collection)
    const found = repos.pageWithCollection(store, collection, { createdAt, did }, limit + 1)
    const shown = found.slice(0, limit)
    const last = found.length > limit ? shown.at(-1) : undefined
    return {
      cursor: last && encodeCursor(last.createdAt, last.did),
      repos: shown.map((repo) => ({ did: repo.did })),
    }
  },
})
