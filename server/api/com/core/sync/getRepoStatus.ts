import { com } from '../../../../../lexicons/generated/index.ts'
import { findHead } from '../../../../repository/tables/repos.ts'
import { activity } from '../../../../store/tables/account-status.ts'
import { findByDid } from '../../../../store/tables/accounts.ts'
import { method } from '../../../method.ts'

export const getRepoStatus = method(com.core.sync.getRepoStatus, {
  auth: 'none',
  handler({ params: { did }, store, fail }) {
    const account = findByDid(store, did)
    if (!account) throw fail('RepoNotFound', `This server has no repository of ${did}`)
    const { active, status } = activity(account)
    return { did, active, status, rev: active ? findHead(store, did)?.rev : undefined }
  },
})
