import { com } from '../../../../../lexicons/generated/index.ts'
import { visibleHead, visibleRepo } from '../../../../repository/access/visible.ts'
import { carOutput } from '../../../../repository/format/car.ts'
import { proofOf } from '../../../../repository/records/repository-blocks.ts'
import { method } from '../../../method.ts'

export const getRecord = method(com.core.sync.getRecord, {
  auth: 'reader',
  async handler({ params, auth, store, names, repository: { repositories } }) {
    const { did } = visibleRepo(store, params.did, auth)
    const key = `${names.stored(params.collection)}/${params.rkey}`
    // During an import the records are not yet the tree's.
    return repositories.serialize(did, async () => {
      const { head } = visibleHead(store, did, auth)
      return carOutput(head.commit, proofOf(store, did, head, key))
    })
  },
})
