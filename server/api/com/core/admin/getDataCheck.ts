import { com } from '../../../../../lexicons/generated/index.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

export const getDataCheck = method(com.core.admin.getDataCheck, {
  auth: 'admin',
  handler({ operation }) {
    const { verifiedAt, damagedPages } = operation.pageCheck.state()
    return { verifiedAt: verifiedAt && iso(verifiedAt), damagedPages }
  },
})
