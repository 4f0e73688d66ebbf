import { com } from '../../../../../lexicons/generated/index.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

export const checkNetwork = method(com.core.admin.checkNetwork, {
  auth: 'admin',
  async handler({ operation: { doctor }, now }) {
    const checkedAt = iso(now())
    return { checkedAt, checks: await doctor.check() }
  },
})
