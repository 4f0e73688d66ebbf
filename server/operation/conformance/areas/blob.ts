/** Media: upload, references, download. */

import { pause, realElapsed } from '../../../util/deadlines.ts'
import { randomBytes } from '../../../util/random.ts'
import { newRecord, type Written, writerOf } from '../account.ts'
import { expectError, expectStatus, mediaTypeOf, outputOf } from '../answers.ts'
import { rawCid } from '../repository.ts'
import { info, must, type Requirement, should } from '../requirement.ts'
import { lexicon, spec } from '../sources.ts'
import { shared, type Target } from '../target.ts'
import { expect, expectSame, Skipped, shown } from '../verdict.ts'

const uploadBlob = 'com.atproto.repo.uploadBlob'
const getBlob = 'com.atproto.sync.getBlob'
const lifecycle = spec('blob', 'Blob Lifecycle')
const security = spec('blob', 'Security Considerations')
/** Milliseconds within which a server removes media. */
const removalMs = 5000

interface Uploaded {
  readonly bytes: Buffer
  readonly cid: string
  // biome-ignore lint/suspicious/noExplicitAny: as the server has answered it
  readonly blob: any
}

async function upload(target: Target): Promise<Uploaded> {
  const { account } = await writerOf(target)
  const bytes = Buffer.from(`conformance ${randomBytes(16).toString('hex')}`)
  const headers = { 'content-type': 'text/plain' }
  const { blob } = outputOf(await account.call(uploadBlob, { body: bytes, headers }))
  return { bytes, cid: rawCid(bytes), blob }
}

const refer = async (target: Target, blob: unknown): Promise<Written> =>
  (await writerOf(target)).create(newRecord({ file: blob }))

const download = async (target: Target, cid: string, headers = {}) => {
  const { account } = await writerOf(target)
  return target.call(getBlob, { query: { did: account.did, cid }, headers })
}

/** A blob with a record that refers to it. */
const storedOf = shared(async (target) => {
  const uploaded = await upload(target)
  await refer(target, uploaded.blob)
  return uploaded
})

/** Expects that the server serves media: otherwise it refuses one for another reason. @throws Skipped */
const requireServed = shared(async (target) => {
  const { status, asked } = await download(target, (await storedOf(target)).cid)
  if (status !== 200) throw new Skipped(`no blob is served: ${asked} answered ${status}`)
})

/** Pages of the blobs of an account that are read. */
const maxPages = 20

/** @throws Skipped if the account has too many blobs */
const isListed = async (target: Target, cid: string): Promise<boolean> => {
  const { account } = await writerOf(target)
  let cursor: string | undefined
  for (let page = 0; page < maxPages; page++) {
    const query = { did: account.did, limit: '1000', ...(cursor && { cursor }) }
    const output = outputOf(await target.call('com.atproto.sync.listBlobs', { query }))
    if (output.cids.includes(cid)) return true
    cursor = output.cursor
    if (!cursor) return false
  }
  throw new Skipped('the account has more blobs than are read')
}

export const blob: readonly Requirement[] = [
  must(
    'blob.upload',
    'uploadBlob answers a reference with hash, size and type',
    lexicon(uploadBlob),
    async (target) => {
      const { blob, cid, bytes } = await upload(target)
      const { $type, ref, size, mimeType } = blob
      expectSame([$type, ref?.$link, size], ['blob', cid, bytes.length], '$type, ref and size')
      expect(/^text\/plain/.test(mimeType), `mimeType is ${shown(mimeType)}`)
    },
  ),
  must(
    'blob.upload.credentials',
    'An upload without credentials is refused',
    lexicon(uploadBlob),
    async ({ call }) => {
      expectError(await call(uploadBlob, { body: 'x', headers: { 'content-type': 'text/plain' } }), [401])
    },
  ),
  must('blob.temporary', 'A blob without a record is not served', lifecycle, async (target) => {
    await requireServed(target)
    const { cid } = await upload(target)
    expectError(await download(target, cid), [400, 404])
  }),
  should('blob.temporary.list', 'A blob without a record is not listed', lifecycle, async (target) => {
    const { cid } = await upload(target)
    expect(!(await isListed(target, cid)), 'listBlobs has it')
  }),
  must('blob.download', 'getBlob answers the bytes that were uploaded', lexicon(getBlob), async (target) => {
    const { bytes, cid } = await storedOf(target)
    const answer = await download(target, cid)
    expectStatus(answer, 200)
    expect(answer.bytes.equals(bytes), 'the bytes are other ones')
  }),
  should(
    'blob.download.type',
    'getBlob has the type and the length of the blob',
    lifecycle,
    async (target) => {
      const { bytes, cid } = await storedOf(target)
      const answer = await download(target, cid, { 'accept-encoding': 'identity' })
      expectSame(mediaTypeOf(answer), 'text/plain', 'the content type')
      expectSame(answer.headers.get('content-length'), String(bytes.length), 'Content-Length')
    },
  ),
  must(
    'blob.download.policy',
    'getBlob has a Content-Security-Policy that forbids scripts',
    security,
    async (target) => {
      const { headers } = await download(target, (await storedOf(target)).cid)
      const policy = headers.get('content-security-policy') ?? ''
      expect(/default-src 'none'|sandbox/.test(policy), `the policy is ${shown(policy)}`)
    },
  ),
  should('blob.download.nosniff', 'getBlob has X-Content-Type-Options: nosniff', security, async (target) => {
    const { headers } = await download(target, (await storedOf(target)).cid)
    expectSame(headers.get('x-content-type-options'), 'nosniff', 'the header')
  }),
  info('blob.download.range', 'getBlob answers a range', 'RFC 9110 §14.2', async (target) => {
    const { bytes, cid } = await storedOf(target)
    const answer = await download(target, cid, { range: 'bytes=0-3' })
    expectStatus(answer, 206)
    expect(answer.bytes.equals(bytes.subarray(0, 4)), 'the bytes are other ones')
  }),
  must(
    'blob.list',
    'listBlobs has the blobs of records',
    lexicon('com.atproto.sync.listBlobs'),
    async (target) => {
      const { cid } = await storedOf(target)
      expect(await isListed(target, cid), 'the blob is absent')
    },
  ),
  must('blob.absent', 'An unknown blob is refused', lexicon(getBlob), async (target) => {
    await requireServed(target)
    expectError(await download(target, rawCid(randomBytes(16))), [400, 404])
  }),
  should(
    'blob.reference.absent',
    'A record that refers to a blob that was not uploaded is refused',
    lifecycle,
    async (target) => {
      const bytes = randomBytes(16)
      const file = {
        $type: 'blob',
        ref: { $link: rawCid(bytes) },
        mimeType: 'text/plain',
        size: bytes.length,
      }
      const answer = await (await writerOf(target)).write('createRecord', { record: newRecord({ file }) })
      expectError(answer, [400])
    },
  ),
  should('blob.deleted', 'A blob is deleted with its last record', lifecycle, async (target) => {
    await requireServed(target)
    const { blob, cid } = await upload(target)
    const { rkey } = await refer(target, blob)
    await (await writerOf(target)).remove(rkey)
    const startedAt = realElapsed()
    for (;;) {
      const { status } = await download(target, cid)
      if (status >= 400) return
      expect(realElapsed() - startedAt < removalMs, `it is served after ${removalMs} ms`)
      await pause(200)
    }
  }),
]
