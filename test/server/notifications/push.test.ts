import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import * as pushRegistrations from '../../../server/store/tables/push-registrations.ts'
import { watchPushes } from '../../support/pushes.ts'
import type { Account } from '../../support/server.ts'
import { body, SocialServer } from '../../support/social.ts'

let world: SocialServer
let alice: Account
let round = 0

beforeAll(async () => {
  world = await SocialServer.start()
})
afterAll(() => world.close())
beforeEach(async () => {
  alice = await world.server.account(`alice${++round}`)
})

const device = { serviceDid: 'did:web:push.test', token: 'device', platform: 'ios', appId: 'app' }
const registrations = (account = alice) =>
  pushRegistrations.ofAccount(world.server.running.services.store, account.did)
const values = async () =>
  body(await world.server.get('com.core.server.checkAccountStatus', {}, alice)).privateStateValues

test('a device is registered once, however often that is asked', async () => {
  expect(body(await world.call('registerPush', device, alice))).toBeUndefined()
  body(await world.call('registerPush', device, alice))
  expect(registrations()).toEqual([device])
})

test('a device goes when it is unregistered, and that can be asked again', async () => {
  const bob = await world.server.account(`bob${round}`)
  body(await world.call('registerPush', device, alice))
  body(await world.call('registerPush', { ...device, token: 'other' }, alice))
  body(await world.call('registerPush', device, bob))
  const { serviceDid, token } = device
  expect(body(await world.call('unregisterPush', { serviceDid, token }, alice))).toBeUndefined()
  body(await world.call('unregisterPush', { serviceDid, token }, alice))
  expect(registrations()).toMatchObject([{ token: 'other' }])
  expect(registrations(bob)).toEqual([device])
})

test('platform and app narrow down what is unregistered', async () => {
  const others = [
    { ...device, platform: 'web' },
    { ...device, appId: 'second' },
  ]
  for (const one of [device, ...others]) body(await world.call('registerPush', one, alice))
  body(await world.call('unregisterPush', device, alice))
  expect(registrations()).toHaveLength(2)
  expect(registrations()).toEqual(expect.arrayContaining(others))
  const { serviceDid, token } = device
  body(await world.call('unregisterPush', { serviceDid, token, platform: 'web' }, alice))
  expect(registrations()).toEqual([others[1]])
})

test('an account has 100 devices at most', async () => {
  for (let i = 0; i < 100; i++) body(await world.call('registerPush', { ...device, token: `${i}` }, alice))
  body(await world.call('registerPush', { ...device, token: '7' }, alice))
  expect(await world.call('registerPush', device, alice)).toMatchObject({
    status: 400,
    body: { error: 'TooManyRegistrations' },
  })
  expect(registrations()).toHaveLength(100)
})

test.each([
  ['serviceDid', undefined],
  ['serviceDid', 'push.test'],
  ['token', undefined],
  ['token', ''],
  ['platform', 'desktop'],
  ['appId', 7],
])('%s as %j is refused, and changes nothing', async (name, value) => {
  const refused = { status: 400, body: { error: 'InvalidRequest' } }
  expect(await world.call('registerPush', { ...device, [name]: value }, alice)).toMatchObject(refused)
  expect(registrations()).toEqual([])
  body(await world.call('registerPush', device, alice))
  expect(await world.call('unregisterPush', { ...device, [name]: value }, alice)).toMatchObject(refused)
  expect(registrations()).toEqual([device])
})

test('what an account keeps for itself counts in its status', async () => {
  expect(await values()).toBe(0)
  body(await world.call('registerPush', device, alice))
  body(await world.call('updateSeen', { seenAt: '2030-01-01T00:00:00Z' }, alice))
  await world.subscribe(alice, { did: 'did:web:stranger.test' }, true, true)
  const off = { list: false, push: false }
  body(await world.call('putPreferencesV2', { verified: off, unverified: off }, alice))
  // A preference that is stored stands for all of them: they are stored together.
  expect(await values()).toBe(3 + 13)
})

test('what arrives together is pushed in the order of its arrival', async () => {
  const [bob, post] = [await world.server.account(`bob${round}`), await world.post(alice)]
  const repost = await world.repost(alice, post)
  const pushed: string[] = []
  const { services } = world.server.running
  const stop = watchPushes(services, alice.did, ({ notification }) => pushed.push(notification.reason))
  await world.like(bob, post, repost)
  stop()
  expect(pushed).toEqual(['like', 'like-via-repost'])
})
