import { com } from '../../../../../lexicons/generated/index.ts'
import { subjectStatus } from '../../../../identity/accounts/subject-status.ts'
import * as accounts from '../../../../platform/store/tables/accounts.ts'
import { method } from '../../../method.ts'

export const getSubjectStatus = method(com.core.admin.getSubjectStatus, {
  auth: 'admin',
  handler({ params, store, fail }) {
    const account = accounts.findByDid(store, params.did)
    if (!account) throw fail('NotFound', 'Account not found')
    return subjectStatus(account)
  },
})
