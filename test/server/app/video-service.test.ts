/** The methods of the network's video service, which this server does not have. */
import { expect, test } from 'vitest'
import { refusal } from '../../support/server.ts'
import { owner as alice, server, setupServer } from '../../support/setup.ts'

setupServer({ accounts: ['alice'] })

test.each([
  ['getUploadLimits', {}],
  ['getJobStatus', { jobId: 'job' }],
])('app.bsky.video.%s is refused as unknown, so that clients promise no upload', async (name, params) => {
  expect(await server.get(`app.bsky.video.${name}`, params, alice)).toMatchObject(
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
