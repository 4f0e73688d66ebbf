import { com } from '../../../../../lexicons/generated/index.ts'
import { upstreamView } from '../../../../federation/upstreams/upstreams-view.ts'
import { method } from '../../../method.ts'

export const retryUpstream = method(com.core.admin.retryUpstream, {
  auth: 'admin',
  handler: ({ input, federation: { upstreams } }) => upstreamView(upstreams.retry(input.url)),
})
