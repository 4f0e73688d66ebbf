import { com } from '../../../../../lexicons/generated/index.ts'
import * as records from '../../../../platform/store/tables/records.ts'
import * as takedowns from '../../../../platform/store/tables/takedowns.ts'
import { visibleRepo } from '../../../../repository/access/visible.ts'
import { recordUri } from '../../../../repository/records/record-uri.ts'
import { recordView } from '../../../../repository/records/view.ts'
import { method } from '../../../method.ts'

export const getRecord = method(com.core.repo.getRecord, {
  auth: 'reader',
  handler({ params, auth, store, names, fail }) {
    const { did } = visibleRepo(store, params.repo, auth)
    const { collection, rkey, cid } = params
    const record = records.find(store, did, names.stored(collection), rkey)
    const isShown = record && !takedowns.ofRecord(store, record.id)
    if (!isShown || (cid !== undefined && cid !== record.cid)) {
      // Clients compare this text: without it they take a missing gate or declaration for a failure.
      throw fail('RecordNotFound', `Could not locate record: ${recordUri(did, collection, rkey)}`)
    }
    return recordView(record)
  },
})
