import { isValidRecordKey } from '@atproto/syntax'
import { com } from '../../../../../lexicons/generated/index.ts'
import { firstPage } from '../../../../platform/xrpc/page-size.ts'
import { visibleRepo } from '../../../../repository/access/visible.ts'
import { recordView } from '../../../../repository/records/record-view.ts'
import * as records from '../../../../repository/tables/records.ts'
import { method } from '../../../method.ts'

export const listRecords = method(com.core.repo.listRecords, {
  auth: 'reader',
  handler({ params, auth, store, names, fail }) {
    const { repo, limit, cursor: after, reverse } = params
    const collection = names.stored(params.collection)
    const { did } = visibleRepo(store, repo, auth)
    if (after !== undefined && !isValidRecordKey(after)) {
      throw fail('InvalidRequest', 'Malformed cursor')
    }
    const read = reverse ? records.page : records.pageBackwards
    const found = read(store, { did, collection, after, limit: limit + 1, isPublic: true })
    const shown = firstPage(found, limit)
    const cursor = found.length > shown.length ? shown.at(-1)?.rkey : undefined
    return { cursor, records: shown.map(recordView) }
  },
})
