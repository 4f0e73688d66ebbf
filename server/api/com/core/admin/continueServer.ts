import { com } from '../../../../../lexicons/generated/index.ts'
import { method } from '../../../method.ts'

export const continueServer = method(com.core.admin.continueServer, {
  auth: 'admin',
  handler: ({ operation }) => operation.copies.continueHere(),
})
