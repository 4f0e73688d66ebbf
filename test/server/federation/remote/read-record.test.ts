/** Records of people elsewhere that accounts here read: stored ones, else from their server, else from the app view. */
import type { DidString } from '@atproto/syntax'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type RemoteAccount, RemoteServer } from '../../../support/remote/remote-server.ts'
import { addUpstream } from '../../../support/remote/remote-views.ts'
import { type Account, refusal, TestServer } from '../../../support/server/server.ts'
import { owner as alice, server, setupServer } from '../../../support/server/setup.ts'
import { createdAt, type Ref, someCid } from '../../../support/server/social.ts'
import { json, StubService } from '../../../support/services/stub-service.ts'

let host: RemoteServer
let bob: RemoteAccount
let post: Ref
let names = 0

setupServer({ accounts: ['alice'] })
beforeAll(async () => {
  host = await RemoteServer.start({ clock: server.clock })
  await addUpstream(server, host.url)
})
afterAll(() => host.close())
beforeEach(async () => {
  bob = await host.account(`bob${++names}`)
  post = await host.create(bob, 'app.bsky.feed.post', { text: 'elsewhere', createdAt })
})

const paramsOf = ({ uri }: { readonly uri: string }) => {
  const [, , repo = '', collection = '', rkey = ''] = uri.split('/')
  return { repo, collection, rkey }
}
const read = (ref: Pick<Ref, 'uri'>, auth?: Account, more: Record<string, string> = {}, at = server) =>
  at.get('com.atproto.repo.getRecord', { ...paramsOf(ref), ...more }, auth)
const asked = () => host.calls.filter((name) => name === 'sync.getRecord').length
const missing = refusal(400, 'RecordNotFound')

describe('a record that is not stored', () => {
  test('is read from the server of its author, with its proof, and not stored', async () => {
    const value = { $type: 'app.bsky.feed.post', text: 'elsewhere', createdAt }
    expect(await read(post, alice)).toMatchObject({ status: 200, body: { ...post, value } })
    expect((await read(post, alice, { cid: post.cid })).body.cid).toBe(post.cid)
    expect(await read(post)).toMatchObject(refusal(400, 'RepoNotFound'))
    const thing = await host.create(bob, 'org.example.thing', { value: 1 })
    expect((await read(thing, alice)).body).toMatchObject({ uri: thing.uri, value: { value: 1 } })
  })

  test('is not asked for by callers without an account here', async () => {
    const before = asked()
    expect(await read(post)).toMatchObject(refusal(400, 'RepoNotFound'))
    expect(asked()).toBe(before)
  })

  test('is not found when its author does not have it, or another version', async () => {
    expect(await read({ uri: `${post.uri}x` }, alice)).toMatchObject(missing)
    expect(await read(post, alice, { cid: someCid })).toMatchObject(missing)
  })

  test('is not found when its proof is of another key, or its server fails', async () => {
    host.replacements.set('sync.getRecord', (res) => res.writeHead(200).end('no archive'))
    expect(await read(post, alice)).toMatchObject(missing)
    host.replacements.set('sync.getRecord', (res) => res.destroy())
    expect(await read(post, alice)).toMatchObject(missing)
    host.replacements.clear()
    expect((await read(post, alice)).status).toBe(200)
  })

  test('is not found when nothing leads to the identity of its author', async () => {
    const uri = `at://did:plc:${'a'.repeat(24)}/app.bsky.feed.post/3kaaaaaaaaaa2`
    expect(await read({ uri }, alice)).toMatchObject(missing)
    expect(await read({ uri: uri.replace(/did:plc:a+/, 'unknown.invalid') }, alice)).toMatchObject(missing)
  })
})

describe('a stored record', () => {
  beforeEach(async () => {
    // It is stored because it mentions an account here.
    const facets = [
      {
        index: { byteStart: 0, byteEnd: 1 },
        features: [{ $type: 'app.bsky.richtext.facet#mention', did: alice.did }],
      },
    ]
    post = await host.create(bob, 'app.bsky.feed.post', { text: 'to Alice', createdAt, facets })
    const options = { via: host.url }
    await server.running.services.federation.repositorySync.sync(bob.did as DidString, options)
  })

  test('is read by anyone, also when the server of its author fails', async () => {
    host.replacements.set('sync.getRecord', (res) => res.destroy())
    for (const auth of [undefined, alice]) {
      expect(await read(post, auth)).toMatchObject({
        status: 200,
        body: { ...post, value: { text: 'to Alice' } },
      })
    }
    host.replacements.clear()
  })

  test('of an inactive account is not found', async () => {
    await server.running.services.federation.intake.setStatus(bob.did, 'takendown')
    expect(await read(post, alice)).toMatchObject(missing)
    expect(await read(post)).toMatchObject(refusal(400, 'RepoNotFound'))
  })
})

test('a server that follows no other asks none', async () => {
  const alone = await TestServer.start()
  const carla = await alone.account('carla')
  const before = host.calls.length
  expect(await read(post, carla, {}, alone)).toMatchObject(missing)
  expect(host.calls).toHaveLength(before)
  await alone.close()
})

test('the app view answers what the server of the author does not', async () => {
  const appView = await StubService.start()
  const settings = { appViewDid: 'did:web:view.test', appViewUrl: appView.url } as const
  const viewing = await TestServer.start(settings)
  const carla = await viewing.account('carla')
  const value = { $type: 'app.bsky.feed.post', text: 'from the view' }
  appView.respond = json({ ...post, value })
  expect(await read(post, carla, {}, viewing)).toMatchObject({ status: 200, body: { ...post, value } })
  const { path, headers } = appView.lastCall
  expect(path).toBe(`/xrpc/com.atproto.repo.getRecord?${new URLSearchParams(paramsOf(post))}`)
  expect(headers).not.toHaveProperty('authorization')
  expect(await read(post, carla, { cid: someCid }, viewing)).toMatchObject(missing)
  for (const answer of [{}, { ...post, uri: `${post.uri}x`, value }, { ...post, value: 1 }]) {
    appView.respond = json(answer)
    expect(await read(post, carla, {}, viewing)).toMatchObject(missing)
  }
  const { length } = appView.calls
  expect(await read(post, undefined, {}, viewing)).toMatchObject(refusal(400, 'RepoNotFound'))
  expect(await read({ uri: `at://${carla.did}/app.bsky.feed.post/none` }, carla, {}, viewing)).toMatchObject(
    missing,
  )
  expect(appView.calls).toHaveLength(length)
  await viewing.close()
  await appView.close()
})
