/** Actors of other servers as clients see them: handles, profiles, search, follows. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as upstreams from '../../../server/store/tables/upstreams.ts'
import { RemoteServer } from '../../support/remote-server.ts'
import { type Account, TestServer } from '../../support/server.ts'
import { SocialServer } from '../../support/social.ts'

let here: TestServer
let there: RemoteServer
let social: SocialServer
let alice: Account
beforeAll(async () => {
  here = await TestServer.start()
  there = await RemoteServer.start()
  social = SocialServer.on(here)
  alice = await here.account('alice')
  await here.running.services.store.transact((tx) =>
    upstreams.add(tx, { url: there.url, isConfigured: false }, 0),
  )
})
afterAll(async () => {
  await here.close()
  await there.close()
})

const settled = () => here.running.services.background.idle()
const profile = async (actor: string, viewer = alice) =>
  here.get('app.example.actor.getProfile', { actor }, viewer)

test('a follow of an account elsewhere shows its handle and profile', async () => {
  const bob = await there.account('bob')
  await there.create(bob, 'app.bsky.actor.profile', { displayName: 'Bob Elsewhere' }, 'self')
  await social.follow(alice, bob)
  await settled()
  const { body } = await here.get('app.example.graph.getFollows', { actor: alice.did }, alice)
  expect(body.follows).toMatchObject([{ did: bob.did, handle: 'bob.test', displayName: 'Bob Elsewhere' }])
  expect(await profile(bob.did)).toMatchObject({
    status: 200,
    body: { handle: 'bob.test', displayName: 'Bob Elsewhere', viewer: { following: expect.any(String) } },
  })
  expect(await profile('bob.test')).toMatchObject({ status: 200, body: { did: bob.did } })
})
