import { com } from '../../../../../lexicons/generated/index.ts'
import { perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import { visibleRepo } from '../../../../repository/access/visible.ts'
import { carOutput } from '../../../../repository/format/car.ts'
import { findBlocks } from '../../../../repository/records/repository-blocks.ts'
import { method } from '../../../method.ts'

const maxBlocks = 200

export const getBlocks = method(com.core.sync.getBlocks, {
  auth: 'reader',
  limits: [perFiveMinutes(100, 'address')],
  async handler({ params, auth, store, fail }) {
    const cids = [...new Set(params.cids)]
    if (cids.length > maxBlocks) throw fail('InvalidRequest', `At most ${maxBlocks} blocks can be requested`)
    const { did } = visibleRepo(store, params.did, auth)
    const found = await findBlocks(store, did, cids)
    const missing = cids.find((cid) => !found.has(cid))
    if (missing !== undefined) throw fail('BlockNotFound', `The repository of ${did} has no block ${missing}`)
    return carOutput(undefined, found.values())
  },
})
