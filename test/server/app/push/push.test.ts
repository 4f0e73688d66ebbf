import { createPublicKey, verify } from 'node:crypto'
import type { DidString } from '@atproto/syntax'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest'
import type { Push } from '../../../../server/app/push/pushed.ts'
import {
  count as countRegistrations,
  insert as insertRegistration,
} from '../../../../server/app/tables/push-registrations.ts'
import { signingKeyOf } from '../../../../server/identity/did/did-document.ts'
import { verifyServiceJwt } from '../../../../server/identity/did/service-jwt.ts'
import { decodeJwt } from '../../../support/accounts/jwt.ts'
import { hour, minute, second } from '../../../support/server/clock.ts'
import { FullDisk } from '../../../support/server/full-disk.ts'
import { type Account, adminAuth, refusal, TestServer } from '../../../support/server/server.ts'
import { server, setupServer, social as world } from '../../../support/server/setup.ts'
import { body, type Ref, SocialServer } from '../../../support/server/social.ts'
import { PushService } from '../../../support/services/push-service.ts'
import { watchPushes } from '../../../support/services/pushes.ts'
import { createBrowser } from '../../../support/services/web-push.ts'
import { mentionsOf } from '../../../support/store/scan.ts'

const deliverPush = 'app.example.notification.deliverPush'

const disk = new FullDisk()
let service: PushService
let alice: Account
let bob: Account
let post: Ref
let round = 0

beforeAll(() => {
  // Timers and the clock only advance when a test advances them.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterAll(() => {
  vi.useRealTimers()
})
setupServer({ config: { allowPrivateTargets: true }, files: disk.files })
beforeEach(async () => {
  round++
  service = await PushService.start()
  alice = await server.account(`alice${round}`)
  bob = await server.account(`bob${round}`)
  post = await world.post(alice)
})
afterEach(async () => {
  await server.post('com.core.admin.deleteAccount', { did: alice.did }, adminAuth)
  await service.close()
})

/** Resolves when no delivery is running. */
const idle = () => server.running.services.background.idle()

async function pass(ms: number): Promise<void> {
  server.clock.advance(ms)
  vi.advanceTimersByTime(minute)
  await idle()
}

const device = (more: object = {}) => {
  return { serviceDid: service.did, token: 'device', platform: 'ios', appId: 'app.test', ...more }
}

async function register(account = alice, more: object = {}): Promise<void> {
  body(await world.call('registerPush', device(more), account))
}

const store = () => server.running.services.store
const waiting = () => store().all('SELECT * FROM push_queue').length
const registrations = (account = alice) => countRegistrations(store(), account.did)

/** What we call something, under the name of the network. */
const networkName = (text: string) => text.replaceAll('app.example', 'app.bsky')

describe('a notification', () => {
  test('is delivered to the device, once', async () => {
    await register()
    const like = await world.like(bob, post)
    await idle()
    const { notifications } = await world.list(alice)
    expect(service.calls).toMatchObject([
      { method: 'POST', path: `/xrpc/${deliverPush}`, headers: { 'content-type': 'application/json' } },
    ])
    expect(service.bodies).toEqual([
      {
        did: alice.did,
        token: 'device',
        platform: 'ios',
        appId: 'app.test',
        notification: {
          uri: like.uri,
          reason: 'like',
          author: { did: bob.did, handle: bob.handle },
          reasonSubject: post.uri,
          indexedAt: notifications[0].indexedAt,
        },
        unreadCount: 1,
      },
    ])
    await pass(2 * hour)
    await server.restart()
    await idle()
    expect(service.calls).toHaveLength(1)
    expect(waiting()).toBe(0)
  })

  test('carries a service token of the account, for this service and method, valid for a minute', async () => {
    await register()
    await world.follow(bob, alice)
    await idle()
    const jwt = service.calls[0]?.headers.authorization?.replace('Bearer ', '') ?? ''
    const { didDoc } = body(await server.signIn(alice))
    const check = (audience: string, lxm: string) =>
      verifyServiceJwt(jwt, {
        audiences: [audience],
        lxm,
        now: server.clock.now,
        resolveSigningKey: async (did) => (did === alice.did ? signingKeyOf(didDoc) : undefined),
      })
    expect(await check(service.did, deliverPush)).toMatchObject({ iss: alice.did })
    await expect(check('did:web:other.test', deliverPush)).rejects.toMatchObject({ code: 'BadJwtAudience' })
    const { iat, exp } = decodeJwt(jwt).claims
    expect(exp - iat).toBe(60)
  })

  test('has the names of the vocabulary in which the device registered, also when it registers again', async () => {
    const registerAs = async (name: string) => body(await server.post(name, device(), alice))
    const network = 'app.bsky.notification.registerPush'
    await registerAs(network)
    const like = await world.like(bob, post)
    await idle()
    await registerAs('app.example.notification.registerPush')
    const second = await world.repost(bob, post)
    await idle()
    expect(service.bodies.map(({ notification }) => notification)).toMatchObject([
      { uri: networkName(like.uri), reasonSubject: networkName(post.uri) },
      { uri: second.uri, reasonSubject: post.uri },
    ])
  })

  test('is delivered to every device of the account, and to no other account', async () => {
    await register()
    await register(alice, { token: 'second' })
    await register(bob, { token: 'not hers' })
    await world.like(bob, post)
    await idle()
    expect(service.bodies.map(({ token }) => token).sort()).toEqual(['device', 'second'])
  })

  test('is sent to the #notif service of the document, wherever that is', async () => {
    service.services = [
      { id: '#other', serviceEndpoint: `${service.url}/first/` },
      { id: '#notif', serviceEndpoint: `${service.url}/notif/` },
    ]
    await register()
    await world.like(bob, post)
    await idle()
    expect(service.calls.map(({ path }) => path)).toEqual([`/notif/xrpc/${deliverPush}`])
  })

  test('is not sent to a service that no longer delivers: its registration is removed', async () => {
    await register()
    await world.like(bob, post)
    await idle()
    service.services = [{ id: '#bsky_notif', serviceEndpoint: service.url }]
    await pass(5 * minute)
    await world.repost(bob, post)
    await idle()
    await pass(2 * hour)
    expect({ calls: service.calls.length, waiting: waiting(), registrations: registrations() }).toEqual({
      calls: 1,
      waiting: 0,
      registrations: 0,
    })
  })

  test('carries the current unread count', async () => {
    await register()
    service.answer = { status: 503 }
    await world.follow(bob, alice)
    await idle()
    await world.like(bob, post)
    await idle()
    service.answer = { status: 200 }
    await pass(10 * second)
    expect(service.bodies.map(({ unreadCount }) => unreadCount)).toEqual([1, 2, 2])
    await world.call('updateSeen', { seenAt: server.clock.now().toISOString() }, alice)
    await world.repost(bob, post)
    await idle()
    expect(service.bodies.at(-1)).toMatchObject({ unreadCount: 1 })
  })

  test('is not delivered if the preferences exclude it', async () => {
    await register()
    const like = { include: 'all', list: true, push: false }
    const follows = { include: 'follows', list: true, push: true }
    body(await world.call('putPreferencesV2', { like, repost: follows }, alice))
    await world.like(bob, post)
    await world.repost(bob, post)
    await idle()
    expect({ calls: service.calls, lookUps: service.lookUps }).toEqual({ calls: [], lookUps: 0 })
    await world.follow(alice, bob)
    await world.repost(bob, await world.post(alice))
    await idle()
    expect(service.bodies.map(({ notification }) => notification.reason)).toEqual(['repost'])
    expect(waiting()).toBe(0)
  })

  test('that is deleted while its service is looked up is not delivered', async () => {
    await register()
    const { promise: liked, resolve } = Promise.withResolvers<Ref>()
    service.onLookUp = async () => world.remove(bob, await liked)
    resolve(await world.like(bob, post))
    await idle()
    expect(service.lookUps).toBe(1)
    expect(service.calls).toEqual([])
    expect(waiting()).toBe(0)
  })

  test.each([
    ['is unregistered', () => world.call('unregisterPush', device(), alice)],
    ['is signed out', () => server.post('com.core.server.deleteSession', undefined, alice.refreshJwt)],
  ])('is not delivered to a device that %s while its service is looked up', async (_, end) => {
    await register()
    service.onLookUp = async () => void (await end())
    await world.like(bob, post)
    await idle()
    expect(service.lookUps).toBe(1)
    expect(service.calls).toHaveLength(0)
    expect(registrations()).toBe(0)
  })

  test('of a post is delivered to the devices of subscribers', async () => {
    await register()
    await world.subscribe(alice, bob, true, false)
    const { uri } = await world.post(bob)
    await idle()
    expect(service.bodies.map(({ notification }) => notification)).toMatchObject([
      { uri, reason: 'subscribed-post' },
    ])
  })
})

describe('a delivery that fails', () => {
  test.each([500, 503, 429, 408, 0])('with %i is retried, also after a restart', async (status) => {
    await register()
    service.answer = { status }
    await world.like(bob, post)
    await idle()
    await pass(9 * second)
    expect(service.calls).toHaveLength(1)
    await pass(second)
    expect(service.calls).toHaveLength(2)
    await server.restart()
    await idle()
    expect(service.calls).toHaveLength(2)
    service.answer = { status: 200 }
    await pass(minute)
    expect(service.calls).toHaveLength(3)
    expect(service.bodies[2]).toEqual(service.bodies[0])
    await pass(2 * hour)
    expect(service.calls).toHaveLength(3)
  })

  test('because its service cannot be resolved is retried', async () => {
    await register()
    service.isDown = true
    await pass(5 * minute)
    await world.like(bob, post)
    await idle()
    expect({ waiting: waiting(), calls: service.calls }).toEqual({ waiting: 1, calls: [] })
    service.isDown = false
    await pass(10 * minute)
    expect({ waiting: waiting(), calls: service.calls.length }).toEqual({ waiting: 0, calls: 1 })
  })

  test('is retried after the Retry-After of the service', async () => {
    await register()
    service.answer = { status: 503, headers: { 'retry-after': '120' } }
    await world.like(bob, post)
    await idle()
    await pass(119 * second)
    expect(service.calls).toHaveLength(1)
    const date = new Date(server.clock.now().getTime() + 30 * minute).toUTCString()
    service.answer = { status: 429, headers: { 'retry-after': date } }
    await pass(second)
    expect(service.calls).toHaveLength(2)
    await pass(29 * minute)
    expect(service.calls).toHaveLength(2)
    await pass(minute)
    expect(service.calls).toHaveLength(3)
  })

  test('is retried after the Retry-After of a service that is not down', async () => {
    await register()
    service.answer = { status: 500, headers: { 'retry-after': '120' } }
    await world.like(bob, post)
    await idle()
    await pass(119 * second)
    expect(service.calls).toHaveLength(1)
    await pass(second)
    expect(service.calls).toHaveLength(2)
  })

  test.each([503, 429, 0])('with %i pauses other deliveries to the service', async (status) => {
    for (let i = 0; i < 10; i++) await register(alice, { token: `${i}` })
    service.answer = { status }
    await world.like(bob, post)
    await idle()
    // The deliveries that were running at once.
    expect(service.calls).toHaveLength(2)
    service.answer = { status: 200 }
    await pass(10 * second)
    expect(service.calls).toHaveLength(12)
    expect(waiting()).toBe(0)
  })

  test('is dropped after five attempts', async () => {
    await register()
    service.answer = { status: 500 }
    await world.like(bob, post)
    await idle()
    for (const [times, delay] of [10 * second, minute, 10 * minute, hour].entries()) {
      await pass(delay - second)
      expect(service.calls).toHaveLength(times + 1)
      await pass(second)
      expect(service.calls).toHaveLength(times + 2)
    }
    expect(waiting()).toBe(0)
    expect(registrations()).toBe(1)
  })

  test.each([400, 401, 403, 413, 302])(
    'with %i is dropped at once; the registration stays',
    async (status) => {
      await register()
      service.answer = { status, headers: { location: `${service.url}/elsewhere` } }
      await world.like(bob, post)
      await idle()
      expect(waiting()).toBe(0)
      expect(registrations()).toBe(1)
      await pass(2 * hour)
      expect(service.calls).toHaveLength(1)
    },
  )

  test.each([404, 410])('with %i removes the registration and its other deliveries', async (status) => {
    await register()
    await register(alice, { token: 'second' })
    service.answer = { status: 500 }
    await world.like(bob, post)
    await world.repost(bob, post)
    await idle()
    expect(waiting()).toBe(4)
    body(await world.call('unregisterPush', device({ token: 'second' }), alice))
    service.answer = { status }
    await pass(10 * second)
    expect({ waiting: waiting(), registrations: registrations() }).toEqual({ waiting: 0, registrations: 0 })
    expect(service.calls).toHaveLength(5)
  })

  test('is dropped when the notification is a day old', async () => {
    await register()
    service.answer = { status: 500 }
    await world.like(bob, post)
    await idle()
    service.answer = { status: 200 }
    await pass(24 * hour)
    expect(service.calls).toHaveLength(1)
    expect(waiting()).toBe(0)

    service.answer = { status: 500 }
    const again = await server.signIn(bob)
    await world.repost({ ...bob, ...again.body }, post)
    await idle()
    await pass(24 * hour - minute)
    expect(service.calls).toHaveLength(3)
  })
})

describe('a queued delivery is dropped', () => {
  const events: Record<string, () => Promise<unknown>> = {
    'when the device is unregistered': () => world.call('unregisterPush', device(), alice),
    'when the record is deleted': () => world.remove(bob, like),
    'when the preferences exclude it': () =>
      world.call('putPreferencesV2', { like: { include: 'all', list: true, push: false } }, alice),
    'when the account is deactivated': () => server.post('com.core.server.deactivateAccount', {}, alice),
    'when the account is suspended': () => server.setStatus(alice.did, { suspended: true }),
    'when the account is taken down': () => server.setStatus(alice.did, { takedown: true }),
    'when the account is deleted': () =>
      server.post('com.core.admin.deleteAccount', { did: alice.did }, adminAuth),
    'when the author is taken down': () => server.setStatus(bob.did, { takedown: true }),
  }
  let like: Ref

  test.each(Object.entries(events))('%s', async (_, happens) => {
    await register()
    service.answer = { status: 500 }
    like = await world.like(bob, post)
    await idle()
    expect(waiting()).toBe(1)
    await happens()
    service.answer = { status: 200 }
    await pass(10 * second)
    expect(service.calls).toHaveLength(1)
    expect(waiting()).toBe(0)
  })
})

describe('registerPush', () => {
  test.each(['#bsky_notif', '#atproto_pds'])(
    'deletes the device at its first delivery if the document names only %s, and then refuses it',
    async (id) => {
      service.services = [{ id, serviceEndpoint: service.url }]
      await register()
      await world.like(bob, post)
      await idle()
      expect({ calls: service.calls, registrations: registrations() }).toEqual({
        calls: [],
        registrations: 0,
      })
      expect(await world.call('registerPush', device(), alice)).toMatchObject(
        refusal(400, 'UnsupportedPushService'),
      )
      await pass(5 * minute)
      await register()
    },
  )

  test('asks no other server', async () => {
    await register()
    await register(alice, { serviceDid: `did:plc:${'a'.repeat(24)}` })
    expect({ connections: service.connections, registrations: registrations() }).toEqual({
      connections: 0,
      registrations: 2,
    })
  })

  test('stores the device while its service cannot be resolved, and delivers once it can be', async () => {
    service.isDown = true
    body(await world.call('registerPush', device(), alice))
    await world.like(bob, post)
    await idle()
    expect({ calls: service.calls.length, waiting: waiting() }).toEqual({ calls: 0, waiting: 1 })
    service.isDown = false
    await pass(minute)
    expect({ calls: service.calls.length, waiting: waiting() }).toEqual({ calls: 1, waiting: 0 })
  })
})

const sessionOf = ({ accessJwt }: Account): string => decodeJwt(accessJwt).claims.sid

test('a session that ends takes the devices that it has registered last with it', async () => {
  const open = async () => (await server.signIn(alice)).body as Account
  const [phone, tablet] = [await open(), await open()]
  await register(phone)
  await register(phone, { token: 'second' })
  await register(tablet, { token: 'second' })
  expect(registrations(alice)).toBe(2)
  await server.post('com.core.server.deleteSession', undefined, phone.accessJwt)
  await world.like(bob, post)
  await idle()
  expect(registrations(alice)).toBe(1)
  expect(service.calls).toHaveLength(1)
})

test('a new password removes the devices of the session that set it, too', async () => {
  await register()
  await server.post('com.core.server.requestPasswordReset', { email: alice.email })
  const input = { token: await server.codeTo(alice.email), password: 'another password' }
  expect((await server.post('com.core.server.resetPassword', input, alice)).status).toBe(200)
  expect((await server.get('com.core.server.getSession', {}, alice)).status).toBe(200)
  expect(registrations()).toBe(0)
})

test('deletion: removes the account from the push queue, as recipient and as push service', async () => {
  await register()
  // A service that has an account here.
  await store().transact((tx) =>
    insertRegistration(tx, {
      ...{ ...device(), did: bob.did, serviceDid: alice.did as DidString, target: alice.did },
      called: 'app.example.notification.registerPush',
      createdAt: '2030-01-01T00:00:00.000Z',
      sessionId: sessionOf(bob),
    }),
  )
  service.answer = { status: 500 }
  await world.like(bob, post)
  await world.follow(alice, bob)
  await idle()
  expect(waiting()).toBeGreaterThan(0)
  await server.post('com.core.admin.deleteAccount', { did: alice.did }, adminAuth)
  const left = mentionsOf(store(), alice.did).filter((mention) => !/^(records|repo_blocks)/.test(mention))
  expect(left.filter((mention) => mention.includes('push'))).toEqual([])
  expect({ waiting: waiting(), bobs: registrations(bob) }).toEqual({ waiting: 0, bobs: 0 })
})

describe('a slow service', () => {
  test('does not delay other services, and gets one delivery at a time per device', async () => {
    const slow = await PushService.start()
    onTestFinished(() => slow.close())
    slow.answer = undefined
    for (let i = 0; i < 20; i++) await register(alice, { serviceDid: slow.did, token: `slow ${i}` })
    await register()
    await world.like(bob, post)
    await world.repost(bob, post)
    await Promise.all([service.called(2), slow.called(2)])
    const reasons = () => service.bodies.map(({ notification }) => notification.reason)
    expect(reasons()).toEqual(['like', 'repost'])
    expect(slow.calls).toHaveLength(2)
    expect(new Set(slow.bodies.map(({ token }) => token)).size).toBe(2)
    slow.release()
    await idle()
    expect(slow.calls).toHaveLength(40)
    expect(waiting()).toBe(0)
  })

  test('of one account does not delay other accounts, however many it has registered', async () => {
    const slow = await Promise.all(Array.from({ length: 10 }, () => PushService.start()))
    onTestFinished(async () => void (await Promise.all(slow.map((one) => one.close()))))
    for (const one of slow) {
      one.answer = undefined
      await register(alice, { serviceDid: one.did })
    }
    await register(bob)
    await world.like(bob, post)
    const called = () => slow.filter(({ calls }) => calls.length > 0)
    while (called().length < 4)
      await Promise.race(slow.filter((one) => !called().includes(one)).map((one) => one.called(1)))
    await world.follow(alice, bob)
    await service.called(1)
    expect(called()).toHaveLength(4)
    for (const one of slow) one.release()
    await idle()
    expect(waiting()).toBe(0)
  })

  test('does not delay the close of the server; running deliveries are repeated after the next start', async () => {
    await register()
    service.answer = undefined
    await world.like(bob, post)
    await service.called(1)
    const began = performance.now()
    await server.running.close()
    // A delivery that is not aborted takes until its time limit, 5 s.
    expect(performance.now() - began).toBeLessThan(4000)
    service.release()
    await server.open()
    await idle()
    expect(service.calls).toHaveLength(2)
    expect(waiting()).toBe(0)
  })
})

test('push queue: a delivery that a full disk could not record is repeated once', async () => {
  await register()
  service.answer = undefined
  await world.like(bob, post)
  await service.called(1)
  disk.isFull = true
  service.release()
  await idle()
  disk.isFull = false
  expect(service.calls).toHaveLength(1)
  await pass(minute)
  expect({ waiting: waiting(), calls: service.calls.length }).toEqual({ waiting: 0, calls: 2 })
})

test('push queue: private addresses are refused unless the owner allows them', async () => {
  const strict = await TestServer.start()
  onTestFinished(() => strict.close())
  const carol = await strict.account('carol')
  const dave = await strict.account('dave')
  const endpoint = (url: string) => JSON.stringify({ endpoint: url, keys: createBrowser().keys })
  const call = (input: object) => strict.post('app.example.notification.registerPush', input, carol)
  body(await call(device()))
  body(await call(device({ platform: 'web', token: endpoint(service.url.replace('http:', 'https:')) })))
  body(await call(device({ platform: 'web', token: endpoint('https://10.0.0.1/send') })))
  expect(await call(device({ platform: 'web', token: endpoint(service.url) }))).toMatchObject(
    refusal(400, 'InvalidRequest'),
  )
  await SocialServer.on(strict).follow(dave, carol)
  const { background, store: strictStore } = strict.running.services
  await background.idle()
  expect(service.connections).toBe(0)
  // A refused address is never retried.
  expect(strictStore.all('SELECT target FROM push_queue')).toEqual([])
})

describe('Web Push', () => {
  const browser = createBrowser()
  const subscription = (more: object = {}) =>
    JSON.stringify({
      endpoint: `${service.url}/send/abc`,
      expirationTime: null,
      keys: browser.keys,
      ...more,
    })
  const web = (token = subscription()) => ({ platform: 'web', token, serviceDid: 'did:web:pds.test' })

  test('delivers an encrypted message', async () => {
    await register(alice, web())
    const { uri } = await world.like(bob, post)
    await idle()
    const [call] = service.calls
    expect(service.calls).toHaveLength(1)
    expect(call).toMatchObject({
      method: 'POST',
      path: '/send/abc',
      headers: { ttl: '86400', 'content-encoding': 'aes128gcm' },
    })
    const { notifications } = await world.list(alice)
    const { reason, reasonSubject, indexedAt } = notifications[0]
    const author = { did: bob.did, handle: bob.handle }
    expect(JSON.parse(browser.decrypt(call?.body ?? Buffer.of()))).toEqual({
      did: alice.did,
      platform: 'web',
      appId: 'app.test',
      notification: { uri, reason, author, reasonSubject, indexedAt },
      unreadCount: 1,
    })
  })

  test('signs with the key in getSession, which stays the same after a restart', async () => {
    const { webPushKey } = body(await server.get('com.core.server.getSession', {}, alice))
    await server.restart()
    await register(alice, web())
    await world.like(bob, post)
    await idle()
    const [, jwt = '', key] =
      /^vapid t=(.+), k=(.+)$/.exec(service.calls[0]?.headers.authorization ?? '') ?? []
    expect(key).toBe(webPushKey)
    const point = Buffer.from(webPushKey, 'base64url')
    const [x = '', y = ''] = [point.subarray(1, 33), point.subarray(33)].map((half) =>
      half.toString('base64url'),
    )
    const jwk = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
    const signed = Buffer.from(jwt.slice(0, jwt.lastIndexOf('.')))
    const signature = Buffer.from(jwt.slice(jwt.lastIndexOf('.') + 1), 'base64url')
    expect(verify('sha256', signed, { key: jwk, dsaEncoding: 'ieee-p1363' }, signature)).toBe(true)
    expect(decodeJwt(jwt).claims).toMatchObject({ aud: service.url, sub: 'mailto:no-reply@localhost' })
  })

  test('removes the registration when the browser has unsubscribed', async () => {
    await register(alice, web())
    service.answer = { status: 410 }
    await world.like(bob, post)
    await idle()
    expect({ waiting: waiting(), registrations: registrations() }).toEqual({ waiting: 0, registrations: 0 })
  })

  test.each<[string, object]>([
    ['without an endpoint', { endpoint: undefined }],
    ['with an endpoint of another scheme', { endpoint: 'ftp://push.test/' }],
    ['without keys', { keys: undefined }],
    ['with a key that is no point', { keys: { ...browser.keys, p256dh: `B${'A'.repeat(86)}` } }],
    ['with a key of another length', { keys: { ...browser.keys, p256dh: 'BAAA' } }],
    ['with a secret of another length', { keys: { ...browser.keys, auth: 'AAAA' } }],
  ])('a subscription %s is refused', async (_, more) => {
    const input = device(web(subscription(more)))
    expect(await world.call('registerPush', input, alice)).toMatchObject(refusal(400, 'InvalidRequest'))
    expect(registrations()).toBe(0)
  })

  test('is not used for other tokens', async () => {
    await register(alice, { platform: 'web' })
    await register(alice, { platform: 'android', token: '{"id":7}' })
    await world.like(bob, post)
    await idle()
    expect(service.bodies.map(({ platform }) => platform).sort()).toEqual(['android', 'web'])
  })
})

describe('pushes of an account', () => {
  test('arrive oldest first, also without a device', async () => {
    const seen: Push[] = []
    const stop = watchPushes(server.running.services, alice.did, (push) => seen.push(push))
    const repost = { include: 'all', list: true, push: false }
    body(await world.call('putPreferencesV2', { repost }, alice))
    await world.like(bob, post)
    await world.repost(bob, post)
    await world.like(alice, post)
    const reply = await world.reply(bob, post)
    const { notifications } = await world.list(alice)
    expect(seen.map(({ did, unreadCount }) => ({ did, unreadCount }))).toEqual([
      { did: alice.did, unreadCount: 1 },
      { did: alice.did, unreadCount: 3 },
    ])
    expect(JSON.parse(JSON.stringify(seen.map(({ notification }) => notification)))).toEqual(
      JSON.parse(networkName(JSON.stringify([notifications[2], notifications[0]]))),
    )
    expect(notifications[0]).toMatchObject({ uri: reply.uri, record: { text: 'a post' } })
    stop()
    await world.follow(bob, alice)
    expect(seen).toHaveLength(2)
  })

  test('stop while the account is inactive', async () => {
    const seen: Push[] = []
    onTestFinished(watchPushes(server.running.services, alice.did, (push) => seen.push(push)))
    await server.setStatus(alice.did, { suspended: true })
    await world.like(bob, post)
    await server.setStatus(alice.did, { suspended: false })
    await world.repost(bob, post)
    expect(seen.map(({ notification }) => notification.reason)).toEqual(['repost'])
  })
})
