import { com } from '../../../../../lexicons/generated/index.ts'
import * as events from '../../../../repository/tables/events.ts'
import { method } from '../../../method.ts'

/** Answers for this server itself: the servers that it follows concern its owner only. */
export const getHostStatus = method(com.core.sync.getHostStatus, {
  auth: 'none',
  handler({ params, store, origin, fail }) {
    const { host } = new URL(origin)
    if (params.hostname.toLowerCase() !== host)
      throw fail('HostNotFound', `This server answers for ${host} only`)
    return { hostname: host, seq: events.state(store).lastSeq, status: 'active' }
  },
})
