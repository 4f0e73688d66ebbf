import { com } from '../../../../../lexicons/generated/index.ts'
import { upstreamView } from '../../../../federation/upstreams/upstreams-view.ts'
import { method } from '../../../method.ts'

export const listUpstreams = method(com.core.admin.listUpstreams, {
  auth: 'admin',
  handler: ({ federation: { upstreams } }) => ({ upstreams: upstreams.list().map(upstreamView) }),
})
