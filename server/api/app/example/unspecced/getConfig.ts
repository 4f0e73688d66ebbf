import { app } from '../../../../../lexicons/generated/index.ts'
import { method } from '../../../method.ts'

export const getConfig = method(app.example.unspecced.getConfig, {
  auth: 'optional',
  handler: () => ({ checkEmailConfirmed: false, liveNow: [] }),
})
