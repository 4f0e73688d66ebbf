import { com } from '../../../../../lexicons/generated/index.ts'
import { findRecord } from '../../../../records/named.ts'
import { recordView } from '../../../../records/view.ts'
import { visibleRepo } from '../../../../records/visible.ts'
import { method } from '../../../method.ts'

export const getRecord = method(com.core.repo.getRecord, {
  auth: 'reader',
  handler({ params, auth, store, config, fail }) {
    const { did } = visibleRepo(store, params.repo, auth)
    const record = findRecord({ store, config }, did, params.collection, params.rkey)
    if (!record || (params.cid !== undefined && params.cid !== record.cid)) {
      throw fail('RecordNotFound', 'Record not found')
    }
    return recordView(record)
  },
})
