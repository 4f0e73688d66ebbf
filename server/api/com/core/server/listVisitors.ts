import { com } from '../../../../../lexicons/generated/index.ts'
import { method } from '../../../method.ts'

export const listVisitors = method(com.core.server.listVisitors, {
  auth: 'full',
  handler: ({ caller, visitors }) => ({ visitors: visitors.near(caller) }),
})
