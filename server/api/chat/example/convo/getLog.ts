import { chat } from '../../../../../lexicons/generated/index.ts'
import { method } from '../../../method.ts'

export const getLog = method(chat.example.convo.getLog, {
  auth: 'access',
  handler: () => ({ logs: [] }),
})
