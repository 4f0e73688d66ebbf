import { app } from '../../../../../lexicons/generated/index.ts'
import { method } from '../../../method.ts'

export const describeFeedGenerator = method(app.example.feed.describeFeedGenerator, {
  auth: 'none',
  handler: ({ serverDid }) => ({ did: serverDid, feeds: [] }),
})
