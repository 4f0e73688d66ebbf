/** Ends the push messages of a deleted account, and the effect of its lists on the notifications of others. */
import * as blocks from '../../federation/tables/blocks.ts'
import type { DeletionListener } from '../../identity/accounts/delete.ts'
import { inSlices } from '../../store/slices.ts'
import * as deletions from '../../store/tables/account-deletions.ts'
import { refreshBetween } from '../tables/hidden.ts'
import * as pushRegistrations from '../tables/push-registrations.ts'

/** Members of a list whose notifications are updated at once. */
const fewMembers = 20

export const deletedAccountListener: DeletionListener = {
  hidden: pushRegistrations.removeOfService,
  /** Its lists no longer block or mute their members for others. */
  async beforeRows(store, { id, did }, check) {
    for (const list of blocks.listsOf(store, did)) {
      const users = blocks.usersOf(store, list)
      const members = blocks.membersOf(store, list)
      await store.transact((tx) => deletions.removeLists(tx, id, list.rkey))
      let next = 0
      await inSlices(
        store,
        (tx) => {
          refreshBetween(tx, users, members.slice(next, next + fewMembers))
          next += fewMembers
          return users.length > 0 && next < members.length
        },
        check,
      )
    }
  },
}
