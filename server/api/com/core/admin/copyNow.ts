import { com } from '../../../../../lexicons/generated/index.ts'
import { method } from '../../../method.ts'

const limitMs = 60_000

export const copyNow = method(com.core.admin.copyNow, {
  auth: 'admin',
  async handler({ operation: { copies } }) {
    // Places that could not be reached are tried again too.
    copies.wake()
    await copies.flush(limitMs)
  },
})
