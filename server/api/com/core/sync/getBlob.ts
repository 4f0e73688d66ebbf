import { com } from '../../../../../lexicons/generated/index.ts'
import { findReferenced } from '../../../../platform/store/tables/blobs.ts'
import { requesterOf } from '../../../../platform/util/requester.ts'
import { visibleRepo } from '../../../../repository/access/visible.ts'
import { blobResponse } from '../../../../repository/blobs/response.ts'
import { method } from '../../../method.ts'

export const getBlob = method(com.core.sync.getBlob, {
  auth: 'reader',
  async handler({ params, auth, caller, headers, store, repository, federation, fail }) {
    const { interest, pictures } = federation
    if (!interest.isLocal(params.did) && interest.isKnown(params.did)) {
      const picture = await pictures.find(params.did, params.cid, requesterOf(caller.source, auth?.did))
      if (!picture) throw fail('BlobNotFound', `This server has no picture ${params.cid} of ${params.did}`)
      return blobResponse(picture, headers, (start, end) => pictures.read(picture.cid, start, end))
    }
    const { blobs } = repository
    const { did } = visibleRepo(store, params.did, auth)
    const blob = findReferenced(store, did, params.cid)
    if (!blob || !(await blobs.isReadable(blob))) {
      throw fail('BlobNotFound', `No record of ${did} refers to a blob ${params.cid}`)
    }
    return blobResponse(blob, headers, (start, end) => blobs.read(blob.cid, start, end))
  },
})
