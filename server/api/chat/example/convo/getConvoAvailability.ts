import { chat } from '../../../../../lexicons/generated/index.ts'
import { method } from '../../../method.ts'

export const getConvoAvailability = method(chat.example.convo.getConvoAvailability, {
  auth: 'access',
  handler: () => ({ canChat: false }),
})
