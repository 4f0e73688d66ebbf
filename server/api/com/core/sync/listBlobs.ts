import { com } from '../../../../../lexicons/generated/index.ts'
import { visibleRepo } from '../../../../repository/access/visible.ts'
import { blobCursor } from '../../../../repository/blobs/blob-cursor.ts'
import * as blobs from '../../../../repository/tables/blobs.ts'
import { method } from '../../../method.ts'

export const listBlobs = method(com.core.sync.listBlobs, {
  auth: 'reader',
  handler({ params, auth, store }) {
    const { since, limit } = params
    const { did } = visibleRepo(store, params.did, auth)
    const found = blobs.page(store, did, { since, after: blobCursor(params.cursor), limit: limit + 1 })
    const cids = found.slice(0, limit)
    return { cursor: found.length > limit ? cids.at(-1) : undefined, cids }
  },
})
