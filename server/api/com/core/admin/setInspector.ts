import { com } from '../../../../../lexicons/generated/index.ts'
import { method } from '../../../method.ts'

export const setInspector = method(com.core.admin.setInspector, {
  auth: 'admin',
  handler({ input: { on, clear }, operation: { inspector } }) {
    if (on !== undefined) inspector.turn(on)
    if (clear) inspector.clear()
  },
})
