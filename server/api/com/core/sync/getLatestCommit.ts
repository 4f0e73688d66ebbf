import { com } from '../../../../../lexicons/generated/index.ts'
import { visibleHead } from '../../../../repository/access/visible.ts'
import { method } from '../../../method.ts'

export const getLatestCommit = method(com.core.sync.getLatestCommit, {
  auth: 'reader',
  handler({ params, auth, store }) {
    const { head } = visibleHead(store, params.did, auth)
    return { cid: head.commit, rev: head.rev }
  },
})
