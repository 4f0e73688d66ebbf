import { com } from '../../../../../lexicons/generated/index.ts'
import { blobCursor } from '../../../../repository/blobs/blob-cursor.ts'
import { recordUri } from '../../../../repository/records/record-uri.ts'
import { missingPage } from '../../../../repository/tables/blobs.ts'
import { method } from '../../../method.ts'

export const listMissingBlobs = method(com.core.repo.listMissingBlobs, {
  auth: 'access',
  handler({ params, auth, store }) {
    const { limit } = params
    const found = missingPage(store, auth.did, blobCursor(params.cursor), limit + 1)
    const blobs = found.slice(0, limit).map(({ cid, did, collection, rkey, isDamaged }) => ({
      cid,
      recordUri: recordUri(did, collection, rkey),
      damaged: isDamaged === 1 || undefined,
    }))
    return { cursor: found.length > limit ? blobs.at(-1)?.cid : undefined, blobs }
  },
})
