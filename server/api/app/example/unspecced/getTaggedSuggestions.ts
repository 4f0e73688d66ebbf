import { app } from '../../../../../lexicons/generated/index.ts'
import { method } from '../../../method.ts'

export const getTaggedSuggestions = method(app.example.unspecced.getTaggedSuggestions, {
  auth: 'optional',
  handler: () => ({ suggestions: [] }),
})
