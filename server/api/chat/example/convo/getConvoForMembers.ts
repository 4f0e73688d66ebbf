import { chat } from '../../../../../lexicons/generated/index.ts'
import { method } from '../../../method.ts'

export const getConvoForMembers = method(chat.example.convo.getConvoForMembers, {
  auth: 'access',
  handler({ fail }) {
    throw fail('MessagesDisabled', 'This server has no conversations')
  },
})
