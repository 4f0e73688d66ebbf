/** Mutes with an app view: forwarded, and applied to notifications here. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Account, refusal } from '../../../support/server/server.ts'
import { server, setupServer, social as world } from '../../../support/server/setup.ts'
import { body, type Ref } from '../../../support/server/social.ts'
import { watchPushes } from '../../../support/services/pushes.ts'
import { json, StubService } from '../../../support/services/stub-service.ts'

let appView: StubService
let alice: Account
let bob: Account
let post: Ref
let round = 0

beforeAll(async () => {
  appView = await StubService.start()
})
afterAll(() => appView.close())
setupServer({
  config: () => ({
    appViewDid: 'did:web:view.test',
    appViewUrl: appView.url,
    allowPrivateTargets: true,
  }),
})
beforeEach(async () => {
  appView.reset()
  appView.respond = (res) => res.writeHead(200).end()
  alice = await server.account(`alice${++round}`)
  bob = await server.account(`bob${round}`)
  post = await world.post(alice)
})

const graph = (name: string, input: object) => server.post(`app.bsky.graph.${name}`, input, alice)

test.each([
  ['muteActor', () => ({ actor: bob.did }), 'unmuteActor'],
  ['muteActor', () => ({ actor: bob.handle }), 'unmuteActor'],
  ['muteThread', () => ({ root: post.uri }), 'unmuteThread'],
])('%s: silences notifications and push here, until it is undone (%#)', async (mute, input, unmute) => {
  const pushed: string[] = []
  const stop = watchPushes(server.running.services, alice.did, (push) =>
    pushed.push(push.notification.reason),
  )
  body(await graph(mute, input()))
  body(await graph(mute, input()))
  await world.reply(bob, post)
  expect({ unread: await world.unread(alice), pushed }).toEqual({ unread: 0, pushed: [] })
  body(await graph(unmute, input()))
  await world.reply(bob, post)
  expect(pushed).toEqual(['reply'])
  expect(appView.calls.map(({ path }) => path)).toEqual(
    [mute, mute, unmute].map((name) => `/xrpc/app.bsky.graph.${name}`),
  )
  expect(JSON.parse(String(appView.lastCall.body))).toEqual(input())
  stop()
})

test('muteActorList: silences the members of the list here', async () => {
  const graphOf = 'app.bsky.graph'
  const createdAt = '2030-01-01T00:00:00.000Z'
  const purpose = `${graphOf}.defs#modlist`
  const list = await world.write(alice, `${graphOf}.list`, { name: 'list', purpose, createdAt })
  await world.write(alice, `${graphOf}.listitem`, { subject: bob.did, list: list.uri, createdAt })
  body(await graph('muteActorList', { list: list.uri }))
  await world.reply(bob, post)
  expect(await world.unread(alice)).toBe(0)
  body(await graph('unmuteActorList', { list: list.uri }))
  await world.reply(bob, post)
  expect(await world.unread(alice)).toBeGreaterThan(0)
})

test.each([
  ['fails', 500, 502],
  ['refuses', 400, 400],
])('a mute that the app view %s is not applied here, and can be repeated', async (_, status, expected) => {
  appView.respond = json({ error: 'InvalidRequest' }, status)
  expect((await graph('muteActor', { actor: bob.did })).status).toBe(expected)
  await world.reply(bob, post)
  expect(await world.unread(alice)).toBe(1)
  appView.respond = (res) => res.writeHead(200).end()
  body(await graph('muteActor', { actor: bob.did }))
  await world.reply(bob, post)
  expect(await world.unread(alice)).toBe(0)
})

test('an unknown handle is refused before the app view is called', async () => {
  expect(await graph('muteActor', { actor: 'unknown.test' })).toMatchObject(refusal(400, 'InvalidRequest'))
  expect(appView.calls).toEqual([])
})
