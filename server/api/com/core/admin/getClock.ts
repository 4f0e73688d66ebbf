import { com } from '../../../../../lexicons/generated/index.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

export const getClock = method(com.core.admin.getClock, {
  auth: 'admin',
  handler({ clock }) {
    const { now, doubt, trustedAt, elsewhere } = clock.state()
    return { now: iso(now), doubt, trustedAt: iso(trustedAt), elsewhere: elsewhere && iso(elsewhere) }
  },
})
