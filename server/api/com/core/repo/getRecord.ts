import { com } from '../../../../../lexicons/generated/index.ts'
import { findRecord } from '../../../../records/named.ts'
import { recordUri } from '../../../../records/record-uri.ts'
import { recordView } from '../../../../records/view.ts'
import { visibleRepo } from '../../../../records/visible.ts'
import { method } from '../../../method.ts'

export const getRecord = method(com.core.repo.getRecord, {
  auth: 'reader',
  handler({ params, auth, store, config, fail }) {
    const { did } = visibleRepo(store, params.repo, auth)
    const { collection, rkey, cid } = params
    const record = findRecord({ store, config }, did, collection, rkey)
    if (!record || (cid !== undefined && cid !== record.cid)) {
      // Clients compare this text: without it they take a missing gate or declaration for a failure.
      throw fail('RecordNotFound', `Could not locate record: ${recordUri(did, collection, rkey)}`)
    }
    return recordView(record)
  },
})
