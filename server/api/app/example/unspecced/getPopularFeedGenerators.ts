import { app } from '../../../../../lexicons/generated/index.ts'
import { method } from '../../../method.ts'

export const getPopularFeedGenerators = method(app.example.unspecced.getPopularFeedGenerators, {
  auth: 'optional',
  handler: () => ({ feeds: [] }),
})
