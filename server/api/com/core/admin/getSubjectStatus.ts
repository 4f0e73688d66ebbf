import { com } from '../../../../../lexicons/generated/index.ts'
import { subjectStatus } from '../../../../identity/accounts/subject-status.ts'
import { blobSubject, recordSubject, takedownStatus } from '../../../../identity/accounts/takedown-status.ts'
import * as accounts from '../../../../store/tables/accounts.ts'
import { method } from '../../../method.ts'

export const getSubjectStatus = method(com.core.admin.getSubjectStatus, {
  auth: 'admin',
  handler({ params, store, names, fail }) {
    const { did, uri, blob } = params
    if (blob !== undefined || uri !== undefined) {
      if (blob !== undefined && did === undefined) {
        throw fail('InvalidRequest', 'A blob needs the did of its account')
      }
      const subject =
        blob !== undefined && did !== undefined
          ? blobSubject(store, did, blob)
          : uri && recordSubject(store, names, uri)
      if (!subject) throw fail('NotFound', 'Record or blob not found')
      return takedownStatus(store, subject)
    }
    if (did === undefined) throw fail('InvalidRequest', 'A did, a uri, or a did and a blob is needed')
    const account = accounts.findByDid(store, did)
    if (!account) throw fail('NotFound', 'Account not found')
    return subjectStatus(account)
  },
})
