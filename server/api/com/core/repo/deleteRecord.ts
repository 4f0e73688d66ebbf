import { com } from '../../../../../lexicons/generated/index.ts'
import { checkOwnRepo, checkSwap } from '../../../../repository/records/writing.ts'
import { method } from '../../../method.ts'

export const deleteRecord = method(com.core.repo.deleteRecord, {
  auth: 'access',
  active: true,
  async handler({ input, auth, repository: { repositories }, identity: { uses }, names }) {
    checkOwnRepo(input.repo, auth.account)
    auth.permissions?.requireRepo(input.collection, 'delete')
    const { rkey } = input
    const collection = names.stored(input.collection)
    const commit = await repositories.write(auth.did, (draft) => {
      checkSwap(input, draft, draft.find(collection, rkey))
      draft.remove(collection, rkey)
    })
    uses.note(auth.account, 'writes')
    return { commit }
  },
})
