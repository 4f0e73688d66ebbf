import { com } from '../../../../../lexicons/generated/index.ts'
import { decodeCursor, encodeCursor } from '../../../../platform/xrpc/cursor.ts'
import * as repos from '../../../../repository/tables/repos.ts'
import { activity } from '../../../../store/tables/account-status.ts'
import { method } from '../../../method.ts'

export const listRepos = method(com.core.sync.listRepos, {
  auth: 'none',
  handler({ params, store, fail }) {
    const { cursor, limit } = params
    const after = cursor === undefined ? [] : decodeCursor(cursor, 2)
    if (!after) throw fail('InvalidRequest', 'Malformed cursor')
    const [createdAt = '', did = ''] = after
    const found = repos.page(store, { createdAt, did }, limit + 1)
    const shown = found.slice(0, limit)
    const last = found.length > limit ? shown.at(-1) : undefined
    return {
      cursor: last && encodeCursor(last.createdAt, last.did),
      repos: shown.map((repo) => ({ did: repo.did, head: repo.commit, rev: repo.rev, ...activity(repo) })),
    }
  },
})
