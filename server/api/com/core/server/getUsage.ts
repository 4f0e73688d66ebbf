import { com } from '../../../../../lexicons/generated/index.ts'
import * as blobs from '../../../../repository/tables/blobs.ts'
import * as usage from '../../../../repository/tables/usage.ts'
import { method } from '../../../method.ts'

/** An account may have records in any number of collections. */
const maxCollections = 1000

export const getUsage = method(com.core.server.getUsage, {
  auth: 'access or takendown',
  handler({ auth, store }) {
    return {
      collections: usage.ofCollections(store, auth.did, maxCollections),
      blobs: blobs.referencedTotal(store, auth.did),
    }
  },
})
