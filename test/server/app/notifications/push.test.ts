import { afterAll, beforeAll, expect, test } from 'vitest'
import { alice, bob, server, setupAccounts, social } from '../../../support/server/setup.ts'
import { body } from '../../../support/server/social.ts'
import { PushService } from '../../../support/services/push-service.ts'
import { watchPushes } from '../../../support/services/pushes.ts'

setupAccounts({ config: { allowPrivateTargets: true } })

let service: PushService
const device = { serviceDid: '', token: 'device', platform: 'ios', appId: 'app' }
beforeAll(async () => {
  service = await PushService.start()
  device.serviceDid = service.did
})
afterAll(() => service.close())
const registrations = (account = alice) =>
  server.running.services.store.all(
    `SELECT service_did AS serviceDid, token, platform, app_id AS appId FROM push_registrations
     WHERE did = ? ORDER BY created_at, service_did, token`,
    [account.did],
  )
const values = async () =>
  body(await server.get('com.core.server.checkAccountStatus', {}, alice)).privateStateValues

test('registerPush: repeating it adds no registration', async () => {
  expect(body(await social.call('registerPush', device, alice))).toBeUndefined()
  body(await social.call('registerPush', device, alice))
  expect(registrations()).toEqual([device])
})

test('unregisterPush: removes the device of this account only, and succeeds again', async () => {
  body(await social.call('registerPush', device, alice))
  body(await social.call('registerPush', { ...device, token: 'other' }, alice))
  body(await social.call('registerPush', device, bob))
  const { serviceDid, token } = device
  expect(body(await social.call('unregisterPush', { serviceDid, token }, alice))).toBeUndefined()
  body(await social.call('unregisterPush', { serviceDid, token }, alice))
  expect(registrations()).toMatchObject([{ token: 'other' }])
  expect(registrations(bob)).toEqual([device])
})

test('unregisterPush: platform and appId limit the removed registrations', async () => {
  const others = [
    { ...device, platform: 'web' },
    { ...device, appId: 'second' },
  ]
  for (const one of [device, ...others]) body(await social.call('registerPush', one, alice))
  body(await social.call('unregisterPush', device, alice))
  expect(registrations()).toHaveLength(2)
  expect(registrations()).toEqual(expect.arrayContaining(others))
  const { serviceDid, token } = device
  body(await social.call('unregisterPush', { serviceDid, token, platform: 'web' }, alice))
  expect(registrations()).toEqual([others[1]])
})

test('registerPush: the 101st device fails with TooManyRegistrations', async () => {
  for (let i = 0; i < 100; i++) body(await social.call('registerPush', { ...device, token: `${i}` }, alice))
  body(await social.call('registerPush', { ...device, token: '7' }, alice))
  expect(await social.call('registerPush', device, alice)).toMatchObject({
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
])('registerPush and unregisterPush: %s %j is rejected without a change', async (name, value) => {
  const refused = { status: 400, body: { error: 'InvalidRequest' } }
  expect(await social.call('registerPush', { ...device, [name]: value }, alice)).toMatchObject(refused)
  expect(registrations()).toEqual([])
  body(await social.call('registerPush', device, alice))
  expect(await social.call('unregisterPush', { ...device, [name]: value }, alice)).toMatchObject(refused)
  expect(registrations()).toEqual([device])
})

test('checkAccountStatus: privateStateValues counts devices, marker, subscriptions and preferences', async () => {
  expect(await values()).toBe(0)
  body(await social.call('registerPush', device, alice))
  body(await social.call('updateSeen', { seenAt: '2030-01-01T00:00:00Z' }, alice))
  await social.subscribe(alice, { did: 'did:web:remote.test' }, true, true)
  const off = { list: false, push: false }
  body(await social.call('putPreferencesV2', { verified: off, unverified: off }, alice))
  // One changed preference counts as all 13, because they are stored together.
  expect(await values()).toBe(3 + 13)
})

test('watchPushes: notifications of one transaction are pushed in order of arrival', async () => {
  const post = await social.post(alice)
  const repost = await social.repost(alice, post)
  const pushed: string[] = []
  const { services } = server.running
  const stop = watchPushes(services, alice.did, ({ notification }) => pushed.push(notification.reason))
  await social.like(bob, post, repost)
  stop()
  expect(pushed).toEqual(['like', 'like-via-repost'])
})
