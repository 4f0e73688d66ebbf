/** The methods of the network's video service: this server has none. */
import { expect, test } from 'vitest'
import { refusal } from '../../../support/server/server.ts'
import { owner as alice, server, setupServer } from '../../../support/server/setup.ts'

setupServer({ accounts: ['alice'] })

test('app.bsky.video.getUploadLimits: no video can be uploaded, with the reason for the person', async () => {
  expect(await server.get('app.bsky.video.getUploadLimits', {}, alice)).toMatchObject({
    status: 200,
    body: { canUpload: false, message: expect.stringMatching(/ file .*\.$/) },
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
