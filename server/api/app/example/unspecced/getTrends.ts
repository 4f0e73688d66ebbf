import { app } from '../../../../../lexicons/generated/index.ts'
import { method } from '../../../method.ts'

export const getTrends = method(app.example.unspecced.getTrends, {
  auth: 'optional',
  handler: () => ({ trends: [] }),
})
