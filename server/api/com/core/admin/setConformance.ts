import { com } from '../../../../../lexicons/generated/index.ts'
import { method } from '../../../method.ts'

export const setConformance = method(com.core.admin.setConformance, {
  auth: 'admin',
  async handler({ input: { running }, operation: { conformance } }) {
    if (running) conformance.start()
    else await conformance.stop()
  },
})
