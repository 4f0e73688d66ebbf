import { app } from '../../../../../lexicons/generated/index.ts'
import * as mutedLists from '../../../../app/tables/muted-lists.ts'
import { recordName } from '../../../../app/views/find/named.ts'
import { method } from '../../../method.ts'

export const unmuteActorList = method(app.example.graph.unmuteActorList, {
  auth: 'access',
  active: true,
  async handler({ input, auth, store, names, fail }) {
    const list = recordName({ db: store, names }, input.list, app.example.graph.list.$type)
    if (!list) throw fail('InvalidRequest', 'List not found')
    await store.transact((tx) => mutedLists.remove(tx, auth.did, list))
  },
})
