import { app } from '../../../../../lexicons/generated/index.ts'
import { method } from '../../../method.ts'

export const getTrendingTopics = method(app.example.unspecced.getTrendingTopics, {
  auth: 'optional',
  handler: () => ({ topics: [], suggested: [] }),
})
