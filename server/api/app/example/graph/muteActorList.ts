import { app } from '../../../../../lexicons/generated/index.ts'
import { recordName } from '../../../../app/views/find.ts'
import * as mutedLists from '../../../../platform/store/tables/muted-lists.ts'
import { iso } from '../../../../platform/util/time.ts'
import { method } from '../../../method.ts'

export const muteActorList = method(app.example.graph.muteActorList, {
  auth: 'access',
  active: true,
  async handler({ input, auth, store, names, now, fail }) {
    const list = recordName({ db: store, names }, input.list, app.example.graph.list.$type)
    if (!list) throw fail('InvalidRequest', 'List not found')
    store.assertRoom()
    await store.transact((tx) => mutedLists.add(tx, auth.did, list, iso(now())))
  },
})
