import { com } from '../../../../../lexicons/generated/index.ts'
import { visibleRepo } from '../../../../repository/access/visible.ts'
import { blobResponse } from '../../../../repository/blobs/response.ts'
import { type Blob, findReferenced } from '../../../../repository/tables/blobs.ts'
import * as takedowns from '../../../../store/tables/takedowns.ts'
import { requesterOf } from '../../../../util/requester.ts'
import { method } from '../../../method.ts'

export const getBlob = method(com.core.sync.getBlob, {
  auth: 'reader',
  async handler({ params, auth, caller, headers, store, repository, federation, fail }) {
    const { filter, pictures } = federation
    const { blobs, thumbnails } = repository

    async function respond(blob: Blob, files: Pick<typeof blobs, 'read'>) {
      const read = (start: number, end: number) => files.read(blob.cid, start, end)
      const thumbnail = params.preset && (await thumbnails.find(blob, params.preset, read))
      if (!thumbnail) return blobResponse(blob, headers, read)
      const { name } = thumbnail
      return blobResponse({ ...thumbnail, cid: name }, headers, (start, end) =>
        thumbnails.read(name, start, end),
      )
    }

    if (!filter.isLocal(params.did) && filter.isKnown(params.did)) {
      const picture = await pictures.find(params.did, params.cid, requesterOf(caller, auth?.did))
      if (!picture) throw fail('BlobNotFound', `This server has no picture ${params.cid} of ${params.did}`)
      return respond(picture, pictures)
    }
    const { did } = visibleRepo(store, params.did, auth)
    const blob = findReferenced(store, did, params.cid)
    if (!blob || !(await blobs.isReadable(blob))) {
      if ((auth?.isAdmin || auth?.did === did) && takedowns.ofBlob(store, did, params.cid)) {
        throw fail('BlobTakedown', 'The administrator of this server has taken this file down')
      }
      throw fail('BlobNotFound', `No record of ${did} refers to a blob ${params.cid}`)
    }
    return respond(blob, blobs)
  },
})
