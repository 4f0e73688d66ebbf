/** The methods of the network's video service: this server has none. */
import { describe, expect, test } from 'vitest'
import { type Answer, refusal } from '../../../support/server/server.ts'
import { owner as alice, server, setupServer } from '../../../support/server/setup.ts'

setupServer({ accounts: ['alice'] })

test('app.bsky.video.getUploadLimits: no video can be uploaded, with the reason for the person', async () => {
  expect(await server.get('app.bsky.video.getUploadLimits', {}, alice)).toMatchObject({
    status: 200,
    body: { canUpload: false, message: expect.stringMatching(/ file .*\.$/) },
  })
})

describe('the upload of a video in parts is refused, with the reason for the person', () => {
  const jobId = 'job'
  const reason = expect.stringMatching(/no video service.* file .*\.$/)
  const post = (name: string, input: object) => server.post(`app.bsky.video.${name}`, input, alice)

  test.each<[string, () => Promise<Answer>, string]>([
    [
      'startUpload',
      () => post('startUpload', { sizeBytes: 9_000_000, mimeType: 'video/mp4' }),
      'UploadForbidden',
    ],
    ['finishUpload', () => post('finishUpload', { jobId }), 'UploadNotFound'],
    ['abortUpload', () => post('abortUpload', { jobId }), 'UploadNotFound'],
    [
      'getUploadStatus',
      () => server.get('app.bsky.video.getUploadStatus', { jobId }, alice),
      'UploadNotFound',
    ],
    [
      'uploadPart',
      () =>
        server.fetch(`/xrpc/app.bsky.video.uploadPart?jobId=${jobId}&partNumber=1`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${alice.accessJwt}`,
            'content-type': 'application/octet-stream',
          },
          body: new Uint8Array(1_000),
        }),
      'UploadNotFound',
    ],
  ])('%s', async (_, call, error) => {
    expect(await call()).toMatchObject(refusal(400, error, reason))
  })
})

test('app.bsky.video.getJobStatus is refused as unknown', async () => {
  expect(await server.get('app.bsky.video.getJobStatus', { jobId: 'job' }, alice)).toMatchObject(
    refusal(501, 'MethodNotImplemented'),
  )
})

test('app.bsky.video.uploadVideo stores nothing', async () => {
  const response = await server.fetch('/xrpc/app.bsky.video.uploadVideo', {
    method: 'POST',
    headers: { authorization: `Bearer ${alice.accessJwt}`, 'content-type': 'video/mp4' },
    body: new Uint8Array(1_000),
  })
  expect(response).toMatchObject(refusal(501, 'MethodNotImplemented'))
  const { body } = await server.get('com.atproto.sync.listBlobs', { did: alice.did })
  expect(body.cids).toEqual([])
})
