/** The server that an author has left may accept writes for a while, and report them: it is no forger. */
import { P256Keypair } from '@atproto/crypto'
import { afterAll, beforeAll, test } from 'vitest'
import { identityEvent } from '../../../support/remote/remote-frames.ts'
import { RemoteServer } from '../../../support/remote/remote-server.ts'
import { adminAuth } from '../../../support/server/server.ts'
import { owner as alice, server, setupServer, social } from '../../../support/server/setup.ts'
import { createdAt } from '../../../support/server/social.ts'
import { until } from '../../../support/server/until.ts'

/** Also the directory of all identities. */
let remote: RemoteServer
beforeAll(async () => {
  remote = await RemoteServer.start()
})
afterAll(() => remote.close())
setupServer({ config: () => ({ plcUrl: remote.url, allowPrivateTargets: true }), accounts: ['alice'] })

test('commits of an author who has moved away do not cut the earlier server off', async () => {
  const post = await social.post(alice)
  await server.post('com.core.admin.addUpstream', { url: remote.url }, adminAuth)
  await remote.connected()
  const carol = await remote.account('carol')
  const like = { subject: { ...post }, createdAt }
  const reasons = async () => (await social.listed(alice)).map((line) => line.split(' ')[0])
  await remote.create(carol, 'app.bsky.feed.like', like)
  await until(server, async () => (await reasons()).includes('like'))
  const { key } = carol
  await remote.moveTo(carol, { key: await P256Keypair.create(), endpoint: 'https://elsewhere.test' })
  const lookUps = remote.calls.filter((call) => call === `/${carol.did}`).length
  remote.emit(identityEvent(carol.did, carol.handle))
  for (let count = 0; count < 25; count++) await remote.create(carol, 'app.bsky.feed.like', like)
  await remote.called(`/${carol.did}`, lookUps + 1)
  // Its events are read in order.
  await remote.moveTo(carol, { key, endpoint: remote.url })
  remote.emit(identityEvent(carol.did, carol.handle))
  await remote.create(carol, 'app.bsky.graph.follow', { subject: alice.did, createdAt })
  await until(server, async () => (await reasons()).includes('follow'))
})
