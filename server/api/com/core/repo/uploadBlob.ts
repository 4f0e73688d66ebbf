import { parseCid, type TypedBlobRef } from '@atproto/lex-data'
import { lexToJson } from '@atproto/lex-json'
import { com } from '../../../../../lexicons/generated/index.ts'
import { method } from '../../../method.ts'

export const uploadBlob = method(com.core.repo.uploadBlob, {
  auth: 'upload',
  maxBody: ({ config }) => config.blobUploadLimit,
  async handler({ input, auth, repository: { blobs } }) {
    auth.permissions?.requireBlob(input.encoding)
    const { cid, mimeType, size } = await blobs.upload(auth.did, input)
    const blob: TypedBlobRef = { $type: 'blob', ref: parseCid(cid, { flavor: 'raw' }), mimeType, size }
    return { blob: lexToJson(blob) as unknown as TypedBlobRef }
  },
})
