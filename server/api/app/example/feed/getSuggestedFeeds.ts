import { app } from '../../../../../lexicons/generated/index.ts'
import { method } from '../../../method.ts'

/** This server suggests no feeds: it does not reach the services that generate them. */
export const getSuggestedFeeds = method(app.example.feed.getSuggestedFeeds, {
  auth: 'optional',
  handler: () => ({ feeds: [] }),
})
