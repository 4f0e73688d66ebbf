import { com } from '../../../../../lexicons/generated/index.ts'
import { perFiveMinutes } from '../../../../config/rate-limits.ts'
import { exportRepo } from '../../../../records/export.ts'
import { visibleRepo } from '../../../../records/visible.ts'
import { method } from '../../../method.ts'

export const getRepo = method(com.core.sync.getRepo, {
  auth: 'optional',
  limits: [perFiveMinutes(100, 'address')],
  async handler({ params, auth, store, repositories, fail }) {
    const { did } = visibleRepo(store, params.did, auth)
    const file = await exportRepo({ store, repositories }, did)
    if (!file) throw fail('RepoNotFound')
    return { encoding: 'application/vnd.ipld.car', body: file }
  },
})
