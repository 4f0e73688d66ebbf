import { com } from '../../../../../lexicons/generated/index.ts'
import { method } from '../../../method.ts'

export const removeUpstream = method(com.core.admin.removeUpstream, {
  auth: 'admin',
  async handler({ input, federation: { upstreams } }) {
    await upstreams.remove(input.url)
  },
})
