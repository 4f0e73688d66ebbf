/** The notifications of an account after an archive was imported: its follows, blocks and mutes may have changed. */
import type { ImportListener } from '../../repository/records/import/finish.ts'
import { updateFollowedAmong } from '../tables/follows.ts'
import { refreshAmong, refreshLists } from '../tables/hidden.ts'
import * as notifications from '../tables/notifications.ts'

/** Notifications that are updated at once. */
const manyRows = 500

export const importedArchiveListener: ImportListener = {
  updateSome(tx, did, after) {
    const range = { after, upTo: after + manyRows }
    updateFollowedAmong(tx, did, range)
    refreshAmong(tx, did, range)
    return range.upTo < notifications.lastId(tx) ? range.upTo : undefined
  },
  imported: refreshLists,
}
