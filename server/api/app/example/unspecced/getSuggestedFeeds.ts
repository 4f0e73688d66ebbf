import { app } from '../../../../../lexicons/generated/index.ts'
import { method } from '../../../method.ts'

export const getSuggestedFeeds = method(app.example.unspecced.getSuggestedFeeds, {
  auth: 'optional',
  handler: () => ({ feeds: [] }),
})
