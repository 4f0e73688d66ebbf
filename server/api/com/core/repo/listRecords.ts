import { isValidRecordKey } from '@atproto/syntax'
import { com } from '../../../../../lexicons/generated/index.ts'
import { pageOfCollection } from '../../../../records/named.ts'
import { recordView } from '../../../../records/view.ts'
import { visibleRepo } from '../../../../records/visible.ts'
import { firstPage } from '../../../../xrpc/page.ts'
import { method } from '../../../method.ts'

export const listRecords = method(com.core.repo.listRecords, {
  auth: 'reader',
  handler({ params, auth, store, config, fail }) {
    const { repo, collection, limit, cursor: after, reverse } = params
    const { did } = visibleRepo(store, repo, auth)
    if (after !== undefined && !isValidRecordKey(after)) {
      throw fail('InvalidRequest', 'Malformed cursor')
    }
    const found = pageOfCollection({ store, config }, { did, collection, after, limit: limit + 1, reverse })
    const shown = firstPage(found, limit)
    const cursor = found.length > shown.length ? shown.at(-1)?.rkey : undefined
    return { cursor, records: shown.map(recordView) }
  },
})
