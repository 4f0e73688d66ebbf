import { com } from '../../../../../lexicons/generated/index.ts'
import { method } from '../../../method.ts'

const limitMs = 60_000

export const copyNow = method(com.core.admin.copyNow, {
  auth: 'admin',
  handler: ({ operation }) => operation.copies.flush(limitMs),
})
