import { com } from '../../../../../lexicons/generated/index.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

export const checkRelays = method(com.core.admin.checkRelays, {
  auth: 'admin',
  async handler({ operation: { doctor }, now }) {
    const checkedAt = iso(now())
    return { checkedAt, ...(await doctor.checkRelays()) }
  },
})
