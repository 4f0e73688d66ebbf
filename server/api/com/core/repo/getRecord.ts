import type { NsidString, RecordKeyString } from '@atproto/syntax'
import { com } from '../../../../../lexicons/generated/index.ts'
import { findByIdentifier } from '../../../../repository/access/identifier.ts'
import { ifVisible, visibleRepo } from '../../../../repository/access/visible.ts'
import { recordView } from '../../../../repository/records/record-view.ts'
import * as records from '../../../../repository/tables/records.ts'
import * as takedowns from '../../../../store/tables/takedowns.ts'
import { requesterOf } from '../../../../util/requester.ts'
import { method } from '../../../method.ts'

export const getRecord = method(com.core.repo.getRecord, {
  auth: 'reader',
  async handler({ params, auth, caller, store, names, federation, fail }) {
    const { repo, rkey, cid } = params
    const collection = names.stored(params.collection)
    // Clients compare this text: without it they take a missing gate or declaration for a failure.
    const notFound = (authority: string) =>
      fail('RecordNotFound', `Could not locate record: at://${authority}/${params.collection}/${rkey}`)
    const account = findByIdentifier(store, repo)
    if (!account) {
      const requester = auth?.did === undefined ? undefined : requesterOf(caller, auth.did)
      const name = { repo, collection: collection as NsidString, rkey: rkey as RecordKeyString, cid }
      const found = await federation.readRecord(name, requester)
      if (found) return found
      if (requester) throw notFound(repo)
    }
    const { did } = account ? ifVisible(account, auth) : visibleRepo(store, repo, auth)
    const record = records.find(store, did, collection, rkey)
    const isShown = record && !takedowns.ofRecord(store, record.id)
    if (!isShown || (cid !== undefined && cid !== record.cid)) throw notFound(did)
    return recordView(record)
  },
})
