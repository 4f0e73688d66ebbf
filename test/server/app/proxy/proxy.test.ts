/** Calls that are forwarded to an app view, or to a service that the client names. */
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startServer } from '../../../../server/server.ts'
import { decodeJwt } from '../../../support/accounts/jwt.ts'
import { passwords } from '../../../support/server/passwords.ts'
import { exchange, open } from '../../../support/server/raw-http.ts'
import {
  type Account,
  type AppSession,
  adminAuth,
  refusal,
  TestServer,
  testConfig,
} from '../../../support/server/server.ts'
import { owner as alice, server, setupServer } from '../../../support/server/setup.ts'
import { json, StubService } from '../../../support/services/stub-service.ts'

let appView: StubService
let other: StubService
let plain: AppSession
let privileged: AppSession

beforeAll(async () => {
  appView = await StubService.start()
  other = await StubService.start()
})
afterAll(() => Promise.all([appView.close(), other.close()]))
setupServer({
  config: () => ({
    appViewDid: 'did:web:view.test',
    appViewUrl: appView.url,
    allowPrivateTargets: true,
  }),
  accounts: ['alice'],
})
beforeAll(async () => {
  plain = await server.appSession(alice, 'plain')
  privileged = await server.appSession(alice, 'privileged', true)
})
afterEach(() => {
  appView.reset()
  other.reset()
})

const timeline = 'app.bsky.feed.getTimeline'
const failed = refusal(502, 'UpstreamFailure')

/** Calls a method with further headers; `fetch` of the test server checks errors against our own lexicons. */
const call = async (name: string, headers: Record<string, string> = {}, init: RequestInit = {}) => {
  const answer = await fetch(`${server.url}/xrpc/${name}`, {
    ...init,
    headers: { authorization: `Bearer ${alice.accessJwt}`, ...headers },
  })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.startsWith('application/json')
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    body: isJson && text ? JSON.parse(text) : undefined,
  }
}
const through = (service: string, name = timeline, auth: Pick<Account, 'accessJwt'> = alice) =>
  call(name, { 'atproto-proxy': service, authorization: `Bearer ${auth.accessJwt}` })
const named = () => `${other.did}#stub`

describe('a method of the application namespace', () => {
  test.each(['app.bsky', 'app.example'])('is forwarded under the name as called (%s)', async (authority) => {
    appView.respond = json({ feed: [], unknown: 1 })
    const answer = await call(`${authority}.feed.getTimeline?limit=2&cursor=a%26b&tag=x&tag=y`)
    expect(answer).toMatchObject({ status: 200, body: { feed: [], unknown: 1 } })
    const { method, path, headers } = appView.lastCall
    expect([method, path]).toEqual([
      'GET',
      `/xrpc/${authority}.feed.getTimeline?limit=2&cursor=a%26b&tag=x&tag=y`,
    ])
    expect(decodeJwt(headers.authorization?.replace('Bearer ', '') ?? '').claims).toEqual({
      iss: alice.did,
      aud: 'did:web:view.test',
      lxm: `${authority}.feed.getTimeline`,
      iat: expect.any(Number),
      exp: expect.any(Number),
      jti: expect.any(String),
    })
  })

  test.each(['', 'did:web:view.test#view', 'did:web:api.bsky.app#bsky_appview'])(
    'is answered here if it is of the video service, which app views lack (atproto-proxy: %s)',
    async (service) => {
      const input = { sizeBytes: 9_000_000, mimeType: 'video/mp4' }
      const answer = await call(
        'app.bsky.video.startUpload',
        { 'content-type': 'application/json', ...(service && { 'atproto-proxy': service }) },
        { method: 'POST', body: JSON.stringify(input) },
      )
      expect(answer).toMatchObject(refusal(400, 'UploadForbidden'))
      expect(appView.calls).toEqual([])
    },
  )

  test('of the video service goes to a service that the client names', async () => {
    other.respond = json({ canUpload: true })
    expect((await through(named(), 'app.bsky.video.getUploadLimits')).body).toEqual({ canUpload: true })
  })

  test('carries a new token each time, valid for a minute', async () => {
    await call(timeline)
    await call(timeline)
    const [one, two] = appView.calls.map(
      ({ headers }) => decodeJwt(headers.authorization?.replace('Bearer ', '') ?? '').claims,
    )
    expect(one?.exp).toBe((one?.iat ?? 0) + 60)
    expect(one?.jti).not.toBe(two?.jti)
  })

  test('that this server does not have is forwarded, too', async () => {
    expect(await call('app.bsky.unspecced.getSomethingNew')).toMatchObject({ status: 200 })
    expect(appView.calls).toHaveLength(1)
  })

  test('without credentials is answered here, or needs them', async () => {
    const known = await server.get('app.bsky.actor.getProfile', { actor: alice.did })
    expect(known).toMatchObject({ status: 200, body: { did: alice.did } })
    expect(await server.get('app.bsky.feed.getUnknown')).toMatchObject(refusal(401, 'AuthMissing'))
    expect(appView.calls).toEqual([])
  })

  test('as a procedure is forwarded with its body', async () => {
    const input = { actor: 'did:web:bob.test' }
    const init = { method: 'POST', body: JSON.stringify(input) }
    appView.respond = (res) => res.writeHead(200).end()
    const answer = await call('app.bsky.graph.muteActor', { 'content-type': 'application/json' }, init)
    expect(answer).toMatchObject({ status: 200, text: '' })
    const { method, headers, body } = appView.lastCall
    expect(method).toBe('POST')
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'content-length': '28' })
    expect(JSON.parse(String(body))).toEqual(input)
  })

  test('as a procedure without a body has none', async () => {
    await call('app.bsky.some.procedure', {}, { method: 'POST' })
    expect(appView.lastCall).toMatchObject({ method: 'POST', headers: { 'content-length': '0' } })
    expect(appView.lastCall.headers).not.toHaveProperty('transfer-encoding')
  })

  test('as a query has no body, whatever the client sends', async () => {
    const request = `GET /xrpc/${timeline} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${alice.accessJwt}\r\n`
    const answer = await exchange(server.running.port, `${request}Content-Length: 4\r\n\r\nbody`)
    expect(answer).toMatchObject({ status: 200 })
    expect(appView.lastCall.headers).not.toHaveProperty('content-length')
  })

  test('called with HEAD has the headers of GET', async () => {
    const answer = await call(timeline, {}, { method: 'HEAD' })
    expect([answer.status, answer.text, answer.headers.get('content-length')]).toEqual([200, '', '15'])
  })
})

describe('always answered here', () => {
  test.each([
    ['com.atproto.server.getSession', 200],
    ['com.core.server.getSession', 200],
    ['com.core.unknown.method', 501],
    ['COM.ATPROTO.unknown.method', 501],
    ['Com.Core.server.createAccount', 501],
    ['app.bsky.notification.listNotifications', 200],
    ['app.example.notification.getUnreadCount', 200],
    ['app.bsky.notification.unknown', 501],
    ['org.example.unknown', 501],
    ['chat.bsky.convo.unknown', 501],
  ])('%s: %i', async (name, status) => {
    expect((await call(name)).status).toBe(status)
    const isOurs = !/^(?:org|chat)/.test(name)
    if (isOurs) expect((await through(named(), name)).status).toBe(status)
    expect([appView.calls, other.calls]).toEqual([[], []])
  })

  test('preferences, for app passwords too', async () => {
    const read = ['app.bsky.actor.getPreferences', 'app.example.actor.getPreferences']
    for (const name of read) {
      expect(await call(name)).toMatchObject({ status: 200, body: { preferences: [] } })
      // Clients name the app view of the network in every call.
      for (const service of ['did:web:view.test#bsky_appview', 'did:web:api.bsky.app#bsky_appview']) {
        expect(await through(service, name, plain)).toMatchObject({ status: 200, body: { preferences: [] } })
      }
      const own = `${server.running.services.serverDid}#atproto_pds`
      expect(await through(own, name)).toMatchObject({ status: 200, body: { preferences: [] } })
    }
    for (const name of ['app.bsky.actor.putPreferences', 'app.example.actor.putPreferences']) {
      await call(name, {}, { method: 'POST' })
      await call(name, { 'atproto-proxy': named() }, { method: 'POST' })
    }
    expect([appView.calls, other.calls]).toEqual([[], []])
  })

  test.each([
    'app.bsky',
    'app.bsky.',
    'app.bsky.feed.get timeline',
    'app.bsky.feed.getTimeline/x',
    'app..feed.x',
  ])('the path %j, which is no NSID', async (name) => {
    expect((await through(named(), encodeURI(name))).status).toBe(400)
    expect([appView.calls, other.calls]).toEqual([[], []])
  })

  test.each(['PUT', 'DELETE', 'PATCH'])('%s', async (method) => {
    expect((await call(timeline, {}, { method })).status).toBeGreaterThanOrEqual(400)
    expect(appView.calls).toEqual([])
  })
})

describe('the service that the client names', () => {
  test('is called by its DID document, which is cached', async () => {
    expect(await through(named())).toMatchObject({ status: 200, body: { served: true } })
    expect(await through(named(), 'org.example.some.query')).toMatchObject({ status: 200 })
    expect(other.calls.map(({ path }) => path)).toEqual([`/xrpc/${timeline}`, '/xrpc/org.example.some.query'])
    expect(other.lookUps).toBe(1)
    expect(appView.calls).toEqual([])
    const token = decodeJwt(other.lastCall.headers.authorization?.replace('Bearer ', '') ?? '')
    expect(token.claims).toMatchObject({ aud: other.did, lxm: 'org.example.some.query' })
  })

  test('may be the app view, whose URL is the configured one', async () => {
    expect(await through('did:web:view.test#any_service')).toMatchObject({ status: 200 })
    expect(decodeJwt(appView.lastCall.headers.authorization?.replace('Bearer ', '') ?? '').claims.aud).toBe(
      'did:web:view.test',
    )
  })

  test('may have preferences of its own, which are read there', async () => {
    for (const name of ['app.bsky.actor.getPreferences', 'app.example.actor.getPreferences']) {
      expect(await through(named(), name)).toMatchObject({ status: 200, body: { served: true } })
      expect(other.lastCall.path).toBe(`/xrpc/${name}`)
    }
    expect(await through('no did', 'app.bsky.actor.getPreferences')).toMatchObject(
      refusal(400, 'InvalidRequest'),
    )
    const anonymous = await fetch(`${server.url}/xrpc/app.bsky.actor.getPreferences`, {
      headers: { 'atproto-proxy': named() },
    })
    expect(anonymous.status).toBe(401)
    expect(other.calls).toHaveLength(2)
  })

  test('may be this server, which then answers itself', async () => {
    const answer = await through(
      `${server.running.services.serverDid}#any`,
      `app.bsky.actor.getProfile?actor=${alice.did}`,
    )
    expect(answer).toMatchObject({ status: 200, body: { did: alice.did } })
    expect(appView.calls).toEqual([])
  })

  test.each([
    '',
    'did:web:a.test',
    '#stub',
    'did:web:a.test#',
    'did:web:a.test#a#b',
    'no did#a',
    'https://a.test#a',
  ])('is refused when it is malformed: %j', async (service) => {
    expect(await through(service)).toMatchObject(refusal(400, 'InvalidRequest'))
  })

  test('is refused when its document does not have it, or there is no document', async () => {
    expect(await through(`${other.did}#missing`)).toMatchObject(refusal(400, 'InvalidRequest'))
    expect(await through(`did:plc:${'a'.repeat(24)}#stub`)).toMatchObject(refusal(400, 'InvalidRequest'))
    expect(await through('did:web:localhost%3A1#stub')).toMatchObject(failed)
    expect(other.calls).toEqual([])
  })
})

describe('credentials', () => {
  test('of a refresh token, the administrator, another service, and a malformed one, are not forwarded', async () => {
    const service = await server.get(
      'com.core.server.getServiceAuth',
      { aud: 'did:web:pds.test', lxm: timeline },
      alice,
    )
    for (const token of [alice.refreshJwt, service.body.token, 'nonsense', '']) {
      const answer = await call(timeline, { authorization: `Bearer ${token}` })
      expect(answer).toMatchObject(refusal(400, 'InvalidToken'))
    }
    expect(await call(timeline, { authorization: adminAuth })).toMatchObject(refusal(400, 'InvalidToken'))
    expect(appView.calls).toEqual([])
  })

  test('never reach the service', async () => {
    await call(timeline, { cookie: 'a=b', 'x-forwarded-for': '10.0.0.1', 'x-secret': 'c' })
    expect(Object.keys(appView.lastCall.headers).toSorted()).toEqual([
      'accept',
      'accept-encoding',
      'accept-language',
      'authorization',
      'connection',
      'host',
    ])
    expect(appView.lastCall.headers.authorization).not.toContain(alice.accessJwt)
  })

  test('of an app password reach chat only if it is privileged', async () => {
    for (const name of [
      'chat.bsky.convo.listConvos',
      'chat.example.convo.getLog',
      'CHAT.bsky.convo.getLog',
    ]) {
      expect(await through(named(), name, plain)).toMatchObject(
        refusal(400, 'InvalidToken', 'Bad token method'),
      )
    }
    expect(other.calls).toEqual([])
    expect(await through(named(), 'chat.bsky.convo.listConvos', privileged)).toMatchObject({ status: 200 })
    expect(await through(named(), 'chat.bsky.convo.listConvos')).toMatchObject({ status: 200 })
    expect(await through(named(), timeline, plain)).toMatchObject({ status: 200 })
  })

  test('of a taken-down account are refused, and those of a deactivated one to write', async () => {
    const bob = await server.account('bob')
    const carol = await server.account('carol')
    await server.setStatus(bob.did, { takedown: true })
    const session = await server.signIn(bob, { allowTakendown: true })
    for (const { accessJwt } of [bob, session.body]) {
      const answer = await call(timeline, { authorization: `Bearer ${accessJwt}` })
      expect(answer.status).toBe(400)
    }
    await server.setStatus(carol.did, { deactivated: true })
    const authorization = `Bearer ${carol.accessJwt}`
    expect(await call('app.bsky.graph.muteActor', { authorization }, { method: 'POST' })).toMatchObject(
      refusal(401, 'AccountDeactivated'),
    )
    expect(appView.calls).toEqual([])
    expect(await call(timeline, { authorization })).toMatchObject({ status: 200 })
  })
})

describe('the request', () => {
  test('has the headers of the list', async () => {
    const headers = {
      'accept-language': 'de, en',
      'accept-encoding': 'gzip, br',
      'atproto-accept-labelers': 'did:plc:ar7c4by46qjdydhdevvrndac;redact',
      'x-bsky-topics': 'a',
    }
    await call(timeline, headers)
    expect(appView.lastCall.headers).toMatchObject(headers)
  })

  test('has the custom headers of the client, without credentials and those of the connection', async () => {
    const custom = { 'x-atproto-experiment': 'a, b', 'x-atproto-trace-id': '7' }
    const credentials = ['admin-token', 'authorization', 'cookie', 'secret', 'ratelimit-bypass', 'dpop']
    const own = ['x-atproto-hop', 'x-atproto-', 'x-other', 'forwarded', 'cookie', 'atproto-proxy-extra']
    const lines = [
      ...Object.entries(custom),
      ...credentials.map((name) => [`X-Atproto-${name}`, 'hidden']),
      ...own.map((name) => [name, 'hidden']),
    ].map(([name, value]) => `${name}: ${value}\r\n`)
    const start = `GET /xrpc/${timeline} HTTP/1.1\r\nHost: localhost\r\nConnection: close, X-Atproto-Hop\r\n`
    const request = `${start}Authorization: Bearer ${alice.accessJwt}\r\n${lines.join('')}\r\n`
    expect(await exchange(server.running.port, request)).toMatchObject({ status: 200 })
    const { headers } = appView.lastCall
    expect(headers).toMatchObject(custom)
    expect(Object.values(headers)).not.toContain('hidden')
  })

  test('is refused when the custom headers of the client are long', async () => {
    const custom = (bytes: number) => ({ 'x-atproto-a': 'a'.repeat(bytes - 22), 'x-atproto-b': '' })
    expect(await call(timeline, custom(4096))).toMatchObject({ status: 200 })
    expect(await call(timeline, custom(4097))).toMatchObject(refusal(400, 'InvalidRequest'))
    expect(appView.calls).toHaveLength(1)
  })

  test('is streamed: the service gets the start before the end was sent', async () => {
    const started = Promise.withResolvers<void>()
    appView.onCall = (req) => {
      req.once('data', () => started.resolve())
      return true
    }
    const connection = await open(server.running.port)
    connection.send(
      `POST /xrpc/app.bsky.some.upload HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${alice.accessJwt}\r\n`,
    )
    connection.send('Content-Type: a/b\r\nContent-Length: 10\r\n\r\nfirst')
    await started.promise
    connection.send('after')
    expect(await connection.answers(1)).toMatchObject([{ status: 200 }])
    expect(String(appView.lastCall.body)).toBe('firstafter')
    connection.socket.destroy()
  })

  test('that is compressed is forwarded decompressed', async () => {
    const init = { method: 'POST', body: gzipSync('{"a":1}') }
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    await call('app.bsky.some.procedure', headers, init)
    expect(String(appView.lastCall.body)).toBe('{"a":1}')
    expect(appView.lastCall.headers).not.toHaveProperty('content-encoding')
  })

  test('that is too large is refused', async () => {
    const init = { method: 'POST', body: new Uint8Array(10_000_001) }
    expect(await call('app.bsky.some.procedure', { 'content-type': 'a/b' }, init)).toMatchObject(
      refusal(413, 'PayloadTooLarge'),
    )
  })

  test('that the client cuts is cut for the service', async () => {
    const closed = Promise.withResolvers<void>()
    const started = Promise.withResolvers<void>()
    appView.onCall = (req) => {
      started.resolve()
      req.on('error', () => {}).on('close', () => closed.resolve())
      return false
    }
    const connection = await open(server.running.port)
    connection.send(
      `POST /xrpc/app.bsky.some.upload HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${alice.accessJwt}\r\n`,
    )
    connection.send('Content-Type: a/b\r\nContent-Length: 10\r\n\r\nfirst')
    await started.promise
    connection.socket.destroy()
    await closed.promise
  })

  test('uses kept connections', async () => {
    await call(timeline)
    const before = appView.connections
    for (let count = 0; count < 5; count++) await call(timeline)
    expect(appView.connections).toBe(before)
  })

  test('is sent again when the service closed a kept connection', async () => {
    await call(timeline)
    let dropped = 0
    appView.onCall = (req) => {
      if (dropped++ > 0) return true
      req.socket.resetAndDestroy()
      return false
    }
    expect(await call(timeline)).toMatchObject({ status: 200 })
    expect(dropped).toBe(2)
  })
})

describe('the response', () => {
  test('has the safe headers of the service, and nothing else of it', async () => {
    appView.respond = json({ a: 1 }, 200, {
      'atproto-repo-rev': '3k',
      'atproto-content-labelers': 'did:a',
      'content-language': 'de',
      'set-cookie': 'a=b',
      'access-control-allow-origin': 'https://evil.test',
      'x-secret': 'a',
      'clear-site-data': '"*"',
    })
    const { headers } = await call(timeline)
    expect(Object.fromEntries(headers)).toMatchObject({
      'atproto-repo-rev': '3k',
      'atproto-content-labelers': 'did:a',
      'content-language': 'de',
      'access-control-allow-origin': '*',
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    })
    for (const name of ['set-cookie', 'x-secret', 'clear-site-data']) expect(headers.has(name)).toBe(false)
    expect(headers.get('access-control-expose-headers')).toContain('Atproto-Repo-Rev')
  })

  test('stays compressed', async () => {
    appView.respond = (res) => {
      res.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      res.end(gzipSync('{"a":1}'))
    }
    const { body, headers } = await call(timeline)
    expect([body, headers.get('content-encoding')]).toEqual([{ a: 1 }, 'gzip'])
  })

  test('that is not JSON is streamed: the client gets the start before the end was sent', async () => {
    const end = Promise.withResolvers<void>()
    appView.respond = async (res) => {
      res.writeHead(200, { 'content-type': 'application/vnd.ipld.car' }).write('first')
      await end.promise
      res.end('after')
    }
    const answer = await fetch(`${server.url}/xrpc/app.bsky.some.file`, {
      headers: { authorization: `Bearer ${alice.accessJwt}` },
    })
    const reader = answer.body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? [])).toEqual(Buffer.from('first'))
    end.resolve()
    expect(Buffer.from((await reader?.read())?.value ?? [])).toEqual(Buffer.from('after'))
  })

  test.each([
    [400, 'InvalidRequest', 'Bad cursor'],
    [401, 'AuthMissing', 'x'],
    [404, 'NotFound', 'x'],
    [429, 'RateLimitExceeded', 'x'],
  ])('with status %i passes through with its error', async (status, error, message) => {
    appView.respond = json({ error, message, more: 1 }, status, { 'retry-after': '30' })
    const answer = await call(timeline)
    expect(answer).toMatchObject({ status, body: { error, message, more: 1 } })
    expect(answer.headers.get('retry-after')).toBe('30')
  })

  test.each([500, 501, 502, 503, 504, 599])(
    'with status %i becomes 502 with the same error',
    async (status) => {
      appView.respond = json({ error: 'NotEnoughResources', message: 'Busy' }, status, {
        'retry-after': '30',
      })
      const answer = await call(timeline)
      expect(answer).toMatchObject(refusal(502, 'NotEnoughResources', 'Busy'))
      expect(answer.headers.get('retry-after')).toBe('30')
    },
  )

  test.each([
    ['without a body', ''],
    ['that is not JSON', 'Internal error at /home/app/secret.js'],
    ['with another shape', '{"error":{"a":1}}'],
    ['with a strange name', '{"error":"<script>"}'],
    ['that is too large', `{"error":"A","message":"${'x'.repeat(70_000)}"}`],
  ])('with status 500 %s becomes UpstreamFailure', async (_, body) => {
    appView.respond = (res) => res.writeHead(500, { 'content-type': 'application/json' }).end(body)
    const answer = await call(timeline)
    expect(answer).toMatchObject(failed)
    expect(answer.text).not.toContain('secret')
  })

  test('with status 500 is understood when it is compressed', async () => {
    appView.respond = (res) =>
      res.writeHead(500, { 'content-encoding': 'gzip' }).end(gzipSync('{"error":"Odd"}'))
    expect(await call(timeline)).toMatchObject(refusal(502, 'Odd'))
    appView.respond = (res) => res.writeHead(500, { 'content-encoding': 'rot13' }).end('{"error":"Odd"}')
    expect(await call(timeline)).toMatchObject(failed)
  })

  test.each([
    ['a web page', 200, { 'content-type': 'text/html; charset=utf-8' }, '<script>'],
    ['a web page as an error', 404, { 'content-type': 'text/html' }, '<h1>404'],
    ['a redirect', 302, { location: 'http://localhost:1/' }, ''],
    ['not modified', 304, {}, ''],
    ['too much by Content-Length', 200, { 'content-type': 'a/b', 'content-length': '10000001' }, ''],
  ])('that is %s becomes UpstreamFailure', async (_, status, headers: Record<string, string>, body) => {
    appView.respond = (res) => res.writeHead(status, headers).end(body)
    expect(await call(timeline)).toMatchObject(failed)
  })

  test('that is huge becomes UpstreamFailure', async () => {
    appView.respond = (res) => {
      res.writeHead(200, { 'content-type': 'application/json' })
      res.end(`"${'x'.repeat(10_000_000)}"`)
    }
    expect(await call(timeline)).toMatchObject(failed)
    appView.respond = (res) => {
      res.writeHead(200, { 'content-type': 'application/json' })
      res.end(`"${'x'.repeat(9_999_998)}"`)
    }
    expect((await call(timeline)).text).toHaveLength(10_000_000)
  })

  test('that is huge and not JSON is cut', async () => {
    appView.respond = (res) => res.writeHead(200, { 'content-type': 'a/b' }).end(Buffer.alloc(11_000_000))
    await expect(call(timeline)).rejects.toThrow()
  })

  test('that is cut becomes UpstreamFailure', async () => {
    appView.respond = (res) => {
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
      res.write('{"a":', () => res.destroy())
    }
    expect(await call(timeline)).toMatchObject(failed)
    appView.respond = (res) => {
      res.writeHead(200, { 'content-type': 'application/json' })
      res.write('{"a":', () => res.destroy())
    }
    expect(await call(timeline)).toMatchObject(failed)
    appView.onCall = (req) => {
      req.socket.destroy()
      return false
    }
    expect(await call('app.bsky.some.procedure', {}, { method: 'POST', body: 'a' })).toMatchObject(failed)
  })

  test('that is no HTTP becomes UpstreamFailure', async () => {
    appView.onCall = (req) => {
      req.socket.end('nonsense\r\n\r\n')
      return false
    }
    expect(await call(timeline)).toMatchObject(failed)
  })

  test('is not waited for when the client disconnects', async () => {
    const closed = Promise.withResolvers<void>()
    const arrived = Promise.withResolvers<void>()
    appView.onCall = (_, res) => {
      res.on('close', () => closed.resolve())
      arrived.resolve()
      return false
    }
    const leaving = new AbortController()
    const request = call(timeline, {}, { signal: leaving.signal })
    await arrived.promise
    leaving.abort()
    await expect(request).rejects.toThrow()
    await closed.promise
  })
})

describe('another server', () => {
  test('whose app view is absent answers UpstreamFailure', async () => {
    const absent = await StubService.start()
    const { url: appViewUrl } = absent
    await absent.close()
    const lonely = await TestServer.start({
      appViewDid: 'did:web:view.test',
      appViewUrl,
      allowPrivateTargets: true,
    })
    expect(await lonely.get(timeline, {}, await lonely.account('dora'))).toMatchObject(failed)
    await lonely.close()
  })

  test('whose app view is silent answers UpstreamFailure', async () => {
    const { config } = server
    const hasty = await startServer(
      testConfig({ ...config, dataDir: `${config.dataDir}/hasty`, appViewUrl: appView.url }),
      { passwords, serviceTimes: { idleMs: 100 } },
    )
    const account = await fetch(`${hasty.url}/xrpc/com.core.server.createAccount`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ handle: 'dora.test', password: 'dora-password' }),
    })
    const { accessJwt } = (await account.json()) as Account
    const ask = async () => {
      const answer = await fetch(`${hasty.url}/xrpc/${timeline}`, {
        headers: { authorization: `Bearer ${accessJwt}` },
      })
      return { status: answer.status, body: await answer.json() }
    }
    appView.respond = () => {}
    expect(await ask()).toMatchObject(refusal(502, 'UpstreamFailure', 'The service does not answer'))
    appView.respond = (res) => void res.writeHead(200, { 'content-type': 'application/json' }).write('{"a":')
    expect(await ask()).toMatchObject(failed)
    await hasty.close()
  })

  test('without an app view answers what it has, and names what it does not have', async () => {
    const alone = await TestServer.start({ allowPrivateTargets: true })
    const dora = await alone.account('dora')
    const headers = { authorization: `Bearer ${dora.accessJwt}`, 'atproto-proxy': named() }
    expect(await alone.fetch(`/xrpc/app.bsky.actor.getProfile?actor=${dora.did}`, { headers })).toMatchObject(
      {
        status: 200,
        body: { did: dora.did },
      },
    )
    expect(await alone.fetch('/xrpc/app.bsky.feed.getUnknown', { headers })).toMatchObject(
      refusal(501, 'MethodNotImplemented', 'This server does not answer app.bsky.feed.getUnknown'),
    )
    expect([other.calls, other.lookUps]).toEqual([[], expect.any(Number)])
    await alone.close()
  })

  test('contacts no private address unless it is allowed', async () => {
    const before = [appView.connections, other.connections]
    for (const appViewUrl of [appView.url, appView.url.replace('http:', 'https:')]) {
      const strict = await TestServer.start({ appViewDid: 'did:web:view.test', appViewUrl })
      const dora = await strict.account('dora')
      expect(await strict.get(timeline, {}, dora)).toMatchObject(failed)
      const headers = { authorization: `Bearer ${dora.accessJwt}`, 'atproto-proxy': named() }
      expect((await strict.fetch(`/xrpc/app.bsky.feed.x`, { headers })).status).toBe(502)
      await strict.close()
    }
    expect([appView.connections, other.connections]).toEqual(before)
  })
})

test('closing the server ends calls under way', async () => {
  const closing = await TestServer.start({
    appViewDid: 'did:web:view.test',
    appViewUrl: appView.url,
    allowPrivateTargets: true,
  })
  const dora = await closing.account('dora')
  const arrived = Promise.withResolvers<void>()
  appView.respond = () => arrived.resolve()
  const answer = closing.get(timeline, {}, dora)
  await arrived.promise
  const [{ status }] = await Promise.all([answer, closing.close()])
  expect(status).toBe(502)
})
