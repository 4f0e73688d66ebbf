import { com } from '../../../../../lexicons/generated/index.ts'
import { perFiveMinutes } from '../../../../config/rate-limits.ts'
import { carType } from '../../../../records/car.ts'
import { visibleRepo } from '../../../../records/visible.ts'
import { method } from '../../../method.ts'

export const getRepo = method(com.core.sync.getRepo, {
  auth: 'reader',
  limits: [perFiveMinutes(100, 'address')],
  async handler({ params, auth, store, exports, fail }) {
    const { did } = visibleRepo(store, params.did, auth)
    const body = await exports.open(did, params.since)
    if (!body) throw fail('RepoNotFound')
    return { encoding: carType, body }
  },
})
