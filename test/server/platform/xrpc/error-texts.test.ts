/** Errors whose texts clients of the network compare: with another text they show a failure, or a less helpful sentence. */
import { AtpAgent } from '@atproto/api'
import { expect, test } from 'vitest'
import { network, setupNetwork } from '../../../support/server/setup.ts'

setupNetwork()

const rkey = '3jzfcijpj2z2a'

test('have the beginning that clients look for', async () => {
  const [alice, bob] = await network.join('alice', 'bob')
  const { server, repo } = alice.com.atproto
  const signIn = (identifier: string) =>
    new AtpAgent({ service: alice.serviceUrl }).login({ identifier, password: 'wrong' })
  const uri = `at://${alice.did}/app.bsky.feed.postgate/${rkey}`
  const post = uri.replace('postgate', 'post')
  const collection = 'app.bsky.feed.postgate'
  const found = await Promise.all(
    [
      repo.getRecord({ repo: alice.did, collection, rkey }),
      repo.getRecord({ repo: alice.handle, collection, rkey }),
      signIn(alice.handle),
      signIn('unknown.test'),
      server.resetPassword({ token: 'AAAAA-AAAAA', password: 'another password' }),
      alice.updateHandle({ handle: bob.handle }),
      alice.updateHandle({ handle: 'admin.test' }),
      alice.getPostThread({ uri: post }),
    ].map((call) => call.then(String, (error: Error) => error.message)),
  )
  expect(found).toEqual([
    `Could not locate record: ${uri}`,
    `Could not locate record: ${uri}`,
    'Invalid identifier or password',
    'Invalid identifier or password',
    expect.stringMatching(/^Token is invalid\b/),
    expect.stringMatching(/^Handle already taken\b/),
    'Reserved handle',
    `Post not found: ${post}`,
  ])
})
