import { app } from '../../../../../lexicons/generated/index.ts'
import { method } from '../../../method.ts'

export const getAgeAssuranceState = method(app.example.unspecced.getAgeAssuranceState, {
  auth: 'access',
  handler: () => ({ status: 'unknown' }),
})
