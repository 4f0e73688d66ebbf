import { com } from '../../../../../lexicons/generated/index.ts'
import { lastDays } from '../../../../operation/jobs/storage-days.ts'
import * as storageDays from '../../../../operation/tables/storage-days.ts'
import * as usage from '../../../../repository/tables/usage.ts'
import { method } from '../../../method.ts'

/** An account may have records in any number of collections. */
const maxCollections = 1000

export const getUsage = method(com.core.server.getUsage, {
  auth: 'access or takendown',
  async handler({ auth, store, now, repository: { counts } }) {
    const [since, today] = lastDays(now())
    const referenced = await counts.referencedBlobs(auth.did)
    const earlier = storageDays.ofAccount(store, auth.did, since, today).filter(({ day }) => day < today)
    const measured = { day: today, records: usage.bytesOfRecords(store, auth.did), media: referenced.bytes }
    return {
      collections: usage.ofCollections(store, auth.did, maxCollections),
      blobs: referenced,
      days: [...earlier, measured],
    }
  },
})
