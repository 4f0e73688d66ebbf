import { app } from '../../../../../lexicons/generated/index.ts'
import * as mutedLists from '../../../../app/tables/muted-lists.ts'
import { recordName } from '../../../../app/views/find/named.ts'
import { findByDid } from '../../../../store/tables/accounts.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

export const muteActorList = method(app.example.graph.muteActorList, {
  auth: 'access',
  active: true,
  async handler({ input, auth, config, store, names, now, federation, fail }) {
    const list = recordName({ db: store, names }, input.list, app.example.graph.list.$type)
    if (!list) throw fail('InvalidRequest', 'List not found')
    const { wantedRecords } = federation
    const isElsewhere = findByDid(store, list.did) === undefined
    // An app view applies the list itself.
    if (isElsewhere && !wantedRecords.isOn() && config.appViewUrl === undefined) {
      throw fail(
        'ListNotAvailable',
        'This list is on another server, and this server reads no others. Follow a server under Network first.',
      )
    }
    store.assertRoom()
    const resume = await store.transact((tx) => {
      mutedLists.add(tx, auth.did, list, iso(now()))
      return isElsewhere ? wantedRecords.wantLists(tx, list.did) : undefined
    })
    resume?.()
  },
})
