/** The live stream of notifications: its messages, its authentication, and when it ends. */
import { decodeAll } from '@atproto/lex-cbor'
import { beforeEach, describe, expect, test } from 'vitest'
import { createSessionWatch } from '../../../../server/identity/callers/session-watch.ts'
import { decodeJwt, signJwt } from '../../../support/accounts/session-jwt.ts'
import { hour } from '../../../support/server/clock.ts'
import { type Frame, type Listener, listen, listening } from '../../../support/server/listener.ts'
import { type Account, adminAuth, refusal } from '../../../support/server/server.ts'
import { alice, bob, server, setupAccounts, social } from '../../../support/server/setup.ts'
import { mentions, type Ref } from '../../../support/server/social.ts'

const subscribe = 'app.example.notification.subscribe'

setupAccounts()

/** By alice, who subscribes to the stream. */
let post: Ref
beforeEach(async () => {
  post = await social.post(alice)
})

const urlOf = (nsid = subscribe) => `${server.url}/xrpc/${nsid}`
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

function connect(account: { accessJwt: string }, nsid?: string): Promise<Listener> {
  return listening(urlOf(nsid), bearer(account.accessJwt))
}

/** Connects and reads the first message, the unread count. */
async function subscribed(account: { accessJwt: string }, unread = 0): Promise<Listener> {
  const stream = await connect(account)
  expect(await stream.next()).toEqual(counted(unread))
  return stream
}

/** An access token that expires two hours later than usual: the clock is moved in these tests. */
function longLived(account: Account): { accessJwt: string } {
  const [header, claims] = decodeJwt(account.accessJwt)
  const key = server.running.services.identity.secrets.tokenKey
  return { accessJwt: signJwt(header, { ...claims, exp: Number(claims.exp) + 7200 }, key) }
}

function counted(count: number): Frame {
  return { header: { op: 1, t: '#unreadCount' }, payload: { count } }
}

function expired(message: string): Frame {
  return { header: { op: -1 }, payload: { error: 'ExpiredToken', message } }
}

describe('subscribe: messages', () => {
  test('the first message is the unread count, and older notifications are not sent', async () => {
    await social.like(bob, post)
    await social.follow(bob, alice)
    const stream = await subscribed(alice, 2)
    stream.close()
  })

  test('a new notification is sent as listed, followed by the count', async () => {
    const stream = await subscribed(alice)
    await social.like(bob, post)
    const { header, payload } = await stream.next()
    expect(header).toEqual({ op: 1, t: '#notification' })
    const { notifications } = await social.list(alice)
    expect(payload).toEqual({ notification: notifications[0] })
    expect(await stream.next()).toEqual(counted(1))
    stream.close()
  })

  test('a client of the network gets the names of the network', async () => {
    const stream = await connect(alice, 'app.bsky.notification.subscribe')
    expect(await stream.next()).toEqual(counted(0))
    await social.like(bob, post)
    const { header, payload } = await stream.next()
    expect(header).toEqual({ op: 1, t: '#notification' })
    const { body } = await server.get('app.bsky.notification.listNotifications', {}, alice)
    expect(payload).toEqual({ notification: body.notifications[0] })
    expect(JSON.stringify(payload)).not.toContain('app.example')
    stream.close()
  })

  test('links and bytes in a record are sent in their CBOR form', async () => {
    const stream = await subscribed(alice)
    const { cid } = post
    await social.write(bob, 'app.example.feed.like', {
      subject: post,
      createdAt: '2030-01-01T00:00:00.000Z',
      link: { $link: cid },
      bytes: { $bytes: 'AAE=' },
    })
    const { notification } = (await stream.next()).payload
    expect(String(notification.record.link)).toBe(cid)
    expect([...notification.record.bytes]).toEqual([0, 1])
    stream.close()
  })

  test('notifications that arrive together are sent oldest first', async () => {
    const stream = await subscribed(alice)
    const posts = await Promise.all([social.post(alice), social.post(alice), social.post(alice)])
    await Promise.all(posts.map((each) => social.like(bob, each)))
    const received = []
    for (let unread = 0; unread < 3; ) {
      const { header, payload } = await stream.next()
      if (header.t === '#unreadCount') unread = payload.count
      else received.push(payload.notification)
    }
    const { notifications } = await social.list(alice)
    expect(received.toReversed()).toEqual(notifications)
    stream.close()
  })

  test('updateSeen sends the new count', async () => {
    await social.like(bob, post)
    const stream = await subscribed(alice, 1)
    await social.call('updateSeen', { seenAt: server.clock.now().toISOString() }, alice)
    expect(await stream.next()).toEqual(counted(0))
    stream.close()
  })

  test('deleting the record of a notification sends the new count', async () => {
    const like = await social.like(bob, post)
    const stream = await subscribed(alice, 1)
    await social.remove(bob, like)
    expect(await stream.next()).toEqual(counted(0))
    stream.close()
  })

  test('a preference that hides a reason sends the new count, and no more notifications of it', async () => {
    await social.like(bob, post)
    const stream = await subscribed(alice, 1)
    await social.call('putPreferencesV2', { like: { include: 'all', list: false, push: true } }, alice)
    expect(await stream.next()).toEqual(counted(0))
    await social.like(bob, await social.post(alice))
    await social.follow(bob, alice)
    expect((await stream.next()).payload.notification).toMatchObject({ reason: 'follow' })
    expect(await stream.next()).toEqual(counted(1))
    stream.close()
  })

  test('deactivating, activating and deleting an author sends the new count', async () => {
    await social.like(bob, post)
    const stream = await subscribed(alice, 1)
    await server.post('com.core.server.deactivateAccount', {}, bob)
    expect(await stream.next()).toEqual(counted(0))
    await server.post('com.core.server.activateAccount', undefined, bob)
    expect(await stream.next()).toEqual(counted(1))
    await server.post('com.core.admin.deleteAccount', { did: bob.did }, adminAuth)
    expect(await stream.next()).toEqual(counted(0))
    stream.close()
  })

  test('following an author sends the new count under the preference "follows"', async () => {
    await social.call('putPreferencesV2', { like: { include: 'follows', list: true, push: true } }, alice)
    await social.like(bob, post)
    const stream = await subscribed(alice, 0)
    await social.follow(alice, bob)
    expect(await stream.next()).toEqual(counted(1))
    stream.close()
  })

  test('a post is sent to its activity subscribers', async () => {
    await social.subscribe(alice, bob, true, false)
    const stream = await subscribed(alice)
    await social.post(bob, { text: 'news' })
    expect((await stream.next()).payload.notification).toMatchObject({ reason: 'subscribed-post' })
    stream.close()
  })

  test('every stream of the account receives the notification, other accounts do not', async () => {
    const [first, second, others] = await Promise.all([subscribed(alice), subscribed(alice), subscribed(bob)])
    await social.post(bob, mentions(alice))
    for (const stream of [first, second]) {
      expect((await stream.next()).payload.notification).toMatchObject({ reason: 'mention' })
      expect(await stream.next()).toEqual(counted(1))
    }
    await social.follow(alice, bob)
    expect((await others.next()).payload.notification).toMatchObject({ reason: 'follow' })
    for (const stream of [first, second, others]) stream.close()
  })

  test('a deactivated account receives notifications', async () => {
    await server.post('com.core.server.deactivateAccount', {}, alice)
    const stream = await subscribed(alice)
    await social.follow(bob, alice)
    expect((await stream.next()).payload.notification).toMatchObject({ reason: 'follow' })
    stream.close()
  })

  test('the last count equals getUnreadCount after concurrent changes', async () => {
    const stream = await subscribed(alice)
    let last = 0
    stream.socket.on('message', (data: Buffer) => {
      const [, payload] = decodeAll(data) as Iterable<{ count?: number }>
      last = payload?.count ?? last
    })
    const likes = await Promise.all(
      Array.from({ length: 10 }, async () => social.like(bob, await social.post(alice))),
    )
    await Promise.all([
      ...likes.slice(0, 3).map((like) => social.remove(bob, like)),
      social.follow(bob, alice),
      social.repost(bob, post),
    ])
    const unread = await social.unread(alice)
    expect(unread).toBe(9)
    await expect.poll(() => last).toBe(unread)
    stream.close()
  })
})

describe('subscribe: clients', () => {
  test('a page sends its token as a subprotocol, which the server does not echo', async () => {
    const socket = new WebSocket(urlOf().replace('http', 'ws'), ['xrpc', `bearer.${alice.accessJwt}`])
    const message = new Promise<MessageEvent>((resolve) => socket.addEventListener('message', resolve))
    expect((await message).data).toBeInstanceOf(Blob)
    expect(socket.protocol).toBe('xrpc')
    socket.close()
  })

  test('an app password session can connect', async () => {
    const app = await server.appSession(alice, 'phone')
    const stream = await subscribed(app)
    stream.close()
  })

  test('the subscription is reachable under its alias', async () => {
    const stream = await connect(alice, 'app.bsky.notification.subscribe')
    expect(await stream.next()).toEqual(counted(0))
    stream.close()
  })

  test('pages of any origin can connect with a token', async () => {
    const stream = await listening(urlOf(), {
      headers: { authorization: `Bearer ${alice.accessJwt}`, origin: 'https://elsewhere.example' },
    })
    expect(await stream.next()).toEqual(counted(0))
    stream.close()
  })
})

describe('subscribe: rejected connections', () => {
  const claimsOf = (account: Account) => decodeJwt(account.accessJwt)

  test('no token', async () => {
    expect(await listen(urlOf())).toMatchObject(refusal(401, 'AuthMissing'))
  })

  test.each<[string, () => string]>([
    ['a refresh token', () => alice.refreshJwt],
    [
      'a forged token',
      () => {
        const [header, claims] = claimsOf(alice)
        return signJwt(header, claims, Buffer.alloc(32))
      },
    ],
    ['garbage', () => 'garbage'],
  ])('%s', async (_, token) => {
    const refused = refusal(400, 'InvalidToken')
    expect(await listen(urlOf(), bearer(token()))).toMatchObject(refused)
    expect(await listen(urlOf(), { protocols: ['xrpc', `bearer.${token()}`] })).toMatchObject(refused)
  })

  test('an expired token and a revoked token', async () => {
    await server.post('com.core.server.deleteSession', undefined, alice)
    expect(await listen(urlOf(), bearer(alice.accessJwt))).toMatchObject(
      refusal(400, 'ExpiredToken', 'Token has been revoked'),
    )
    server.clock.advance(3 * hour)
    expect(await listen(urlOf(), bearer(bob.accessJwt))).toMatchObject(
      refusal(400, 'ExpiredToken', 'Token has expired'),
    )
  })

  test('the takendown session of an account', async () => {
    await server.setStatus(alice.did, { takedown: true })
    const { body } = await server.signIn(alice, { allowTakendown: true })
    expect(await listen(urlOf(), bearer(body.accessJwt))).toMatchObject(
      refusal(400, 'InvalidToken', 'Bad token scope'),
    )
  })

  test('a token in the URL, because URLs are logged', async () => {
    expect(await listen(`${urlOf()}?token=${alice.accessJwt}`)).toMatchObject(refusal(401, 'AuthMissing'))
  })

  test('the 21st stream of an account, until one of the others is closed', async () => {
    const streams = await Promise.all(Array.from({ length: 20 }, () => subscribed(alice)))
    expect(await listen(urlOf(), bearer(alice.accessJwt))).toMatchObject(refusal(429, 'RateLimitExceeded'))
    const others = await subscribed(bob)
    streams[0]?.close()
    await streams[0]?.ended()
    const stream = await subscribed(alice)
    for (const each of [...streams, others, stream]) each.close()
  })

  test('plain HTTP requests', async () => {
    expect(await server.get(subscribe, {}, alice)).toMatchObject(refusal(426, 'InvalidRequest'))
    expect(await server.post(subscribe, {}, alice)).toMatchObject(refusal(405, 'InvalidRequest'))
  })
})

describe('subscribe: the stream is closed when', () => {
  const revoked = expired('Token has been revoked')

  async function endsWith(stream: Listener, last: Frame): Promise<void> {
    const { frames, code, reason } = await stream.ended()
    expect({ frames, code, reason }).toEqual({ frames: [last], code: 1008, reason: 'ExpiredToken' })
  }

  test.each<[string, () => Promise<unknown>]>([
    ['the session signs out', () => server.post('com.core.server.deleteSession', undefined, alice)],
    [
      'another session revokes the session',
      async () => {
        const { body: other } = await server.signIn(alice)
        const { body } = await server.get('com.core.server.listSessions', {}, other)
        const id = decodeJwt(alice.accessJwt)[1].sid
        expect(body.sessions.map((one: { id: string }) => one.id)).toContain(id)
        await server.post('com.core.server.revokeSession', { id }, other)
      },
    ],
    [
      'the password is reset',
      async () => {
        await server.post('com.core.server.requestPasswordReset', { email: alice.email })
        const token = await server.codeTo(alice.email)
        await server.post('com.core.server.resetPassword', { token, password: 'another password' })
      },
    ],
    [
      'the administrator sets another password',
      () =>
        server.post(
          'com.core.admin.updateAccountPassword',
          { did: alice.did, password: 'another password' },
          adminAuth,
        ),
    ],
    ['the account is taken down', () => server.setStatus(alice.did, { takedown: true })],
    [
      'the account is deleted',
      () => server.post('com.core.admin.deleteAccount', { did: alice.did }, adminAuth),
    ],
  ])('%s', async (_, end) => {
    const [stream, others] = await Promise.all([subscribed(longLived(alice)), subscribed(longLived(bob))])
    await end()
    await endsWith(stream, revoked)
    expect(others.socket.readyState).toBe(others.socket.OPEN)
    others.close()
  })

  test('its app password is revoked; streams of other sessions stay open', async () => {
    const app = await server.appSession(alice, 'phone')
    const [stream, own] = await Promise.all([subscribed(app), subscribed(alice)])
    await server.post('com.core.server.revokeAppPassword', { name: 'phone' }, alice)
    await endsWith(stream, revoked)
    await social.like(bob, post)
    expect((await own.next()).header.t).toBe('#notification')
    own.close()
  })

  test('its session ends after another stream of that session was closed', async () => {
    const [stream, closed] = await Promise.all([subscribed(alice), subscribed(alice)])
    closed.close()
    await closed.ended()
    await server.post('com.core.server.deleteSession', undefined, alice)
    await endsWith(stream, revoked)
  })

  test('its session ended while the stream was being opened', async () => {
    const { store, now } = server.running.services
    const sessionId = String(decodeJwt(alice.accessJwt)[1].sid)
    await server.post('com.core.server.deleteSession', undefined, alice)
    const ends: unknown[] = []
    const expiresAt = now().getTime() + hour
    const stop = createSessionWatch({ store, now })({ sessionId, expiresAt }, (error) => ends.push(error))
    stop()
    expect(ends).toMatchObject([{ name: 'ExpiredToken', message: 'Token has been revoked' }])
  })

  test('its token expires while the stream is idle', async () => {
    const [header, claims] = decodeJwt(alice.accessJwt)
    const key = server.running.services.identity.secrets.tokenKey
    const exp = server.clock.now().getTime() / 1000 + 0.3
    const stream = await subscribed({ accessJwt: signJwt(header, { ...claims, exp }, key) })
    await endsWith(stream, expired('Token has expired'))
  })

  test('its token expired during system sleep, before the next message', async () => {
    const stream = await subscribed(alice)
    server.clock.advance(3 * hour)
    const { body: later } = await server.signIn(bob)
    await social.like({ ...bob, ...later }, post)
    await endsWith(stream, expired('Token has expired'))
  })

  test('the server closes; a restarted server accepts a new stream', async () => {
    const stream = await subscribed(alice)
    await server.restart()
    expect(await stream.ended()).toEqual({ frames: [], code: 1001, reason: 'The server is closing' })
    const again = await subscribed(alice)
    again.close()
  })
})

test('subscribe: refreshing the session keeps the stream open', async () => {
  const stream = await subscribed(alice)
  await server.post('com.core.server.refreshSession', undefined, alice.refreshJwt)
  await server.signIn(alice)
  await social.like(bob, post)
  expect((await stream.next()).header.t).toBe('#notification')
  stream.close()
})

test('subscribe: using an old refresh token of the session keeps the stream open', async () => {
  const stream = await subscribed(longLived(alice))
  const refresh = () => server.post('com.core.server.refreshSession', undefined, alice.refreshJwt)
  expect((await refresh()).status).toBe(200)
  server.clock.advance(3 * hour)
  expect(await refresh()).toMatchObject(refusal(400, 'ExpiredToken', 'Token has been revoked'))
  const { body: later } = await server.signIn(bob)
  await social.like({ ...bob, ...later }, post)
  expect((await stream.next()).header.t).toBe('#notification')
  stream.close()
})
