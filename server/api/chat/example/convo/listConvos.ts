import { chat } from '../../../../../lexicons/generated/index.ts'
import { method } from '../../../method.ts'

export const listConvos = method(chat.example.convo.listConvos, {
  auth: 'access',
  handler: () => ({ convos: [] }),
})
