import { app } from '../../../../../lexicons/generated/index.ts'
import { method } from '../../../method.ts'

export const getSuggestedStarterPacks = method(app.example.unspecced.getSuggestedStarterPacks, {
  auth: 'optional',
  handler: () => ({ starterPacks: [] }),
})
