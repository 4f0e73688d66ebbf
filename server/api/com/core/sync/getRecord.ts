import { com } from '../../../../../lexicons/generated/index.ts'
import { allNamesOf } from '../../../../config/aliases.ts'
import { carOutput } from '../../../../records/car.ts'
import { proofOf } from '../../../../records/repository-blocks.ts'
import { visibleHead, visibleRepo } from '../../../../records/visible.ts'
import { method } from '../../../method.ts'

export const getRecord = method(com.core.sync.getRecord, {
  auth: 'reader',
  async handler({ params, auth, store, config, repositories }) {
    const { did } = visibleRepo(store, params.did, auth)
    // The record may be stored under another name of its collection.
    const keys = allNamesOf(params.collection, config.aliases).map((name) => `${name}/${params.rkey}`)
    // During an import the records are not yet the tree's.
    return repositories.serialize(did, async () => {
      const { head } = visibleHead(store, did, auth)
      return carOutput(head.commit, proofOf(store, did, head, keys))
    })
  },
})
