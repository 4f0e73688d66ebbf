import { com } from '../../../../../lexicons/generated/index.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

export const getDataCheck = method(com.core.admin.getDataCheck, {
  auth: 'admin',
  handler({ operation }) {
    const { verifiedAt, damagedPages, share, endsAt } = operation.pageCheck.state()
    return {
      verifiedAt: verifiedAt && iso(verifiedAt),
      damagedPages,
      percent: Math.floor(share * 100),
      endsAt: iso(endsAt),
    }
  },
})
