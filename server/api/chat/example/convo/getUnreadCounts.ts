import { chat } from '../../../../../lexicons/generated/index.ts'
import { method } from '../../../method.ts'

export const getUnreadCounts = method(chat.example.convo.getUnreadCounts, {
  auth: 'access',
  handler: () => ({ unreadAcceptedConvos: 0, unreadRequestConvos: 0 }),
})
