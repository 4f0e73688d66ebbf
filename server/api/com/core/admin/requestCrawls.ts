import { com } from '../../../../../lexicons/generated/index.ts'
import { relayViews } from '../../../../operation/doctor/relays.ts'
import { method } from '../../../method.ts'

export const requestCrawls = method(com.core.admin.requestCrawls, {
  auth: 'admin',
  async handler({ repository: { relays } }) {
    await relays.askNow()
    return { relays: relayViews(relays) }
  },
})
