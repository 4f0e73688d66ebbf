import { app } from '../../../../../lexicons/generated/index.ts'
import * as mutedThreads from '../../../../app/tables/muted-threads.ts'
import { recordName } from '../../../../app/views/find/named.ts'
import { method } from '../../../method.ts'

export const muteThread = method(app.example.graph.muteThread, {
  auth: 'access',
  active: true,
  async handler({ input, auth, store, names, fail }) {
    const root = recordName({ db: store, names }, input.root, app.example.feed.post.$type)
    if (!root) throw fail('InvalidRequest', 'The root must be a post')
    store.assertRoom()
    await store.transact((tx) => mutedThreads.add(tx, auth.did, root))
  },
})
