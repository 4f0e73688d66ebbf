import { com } from '../../../../../lexicons/generated/index.ts'
import { upstreamView } from '../../../../federation/upstreams/upstreams-view.ts'
import { method } from '../../../method.ts'

export const addUpstream = method(com.core.admin.addUpstream, {
  auth: 'admin',
  handler: async ({ input, federation: { upstreams } }) => upstreamView(await upstreams.add(input.url)),
})
