import { com } from '../../../../../lexicons/generated/index.ts'
import { method } from '../../../method.ts'

export const confirmClock = method(com.core.admin.confirmClock, {
  auth: 'admin',
  handler: ({ clock }) => clock.confirm(),
})
