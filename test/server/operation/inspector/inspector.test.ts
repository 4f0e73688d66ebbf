/** The inspector: requests as they arrive, for the owner, once switched on. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { methods } from '../../../../server/api/index.ts'
import type { ObservedRequest } from '../../../../server/operation/inspector/inspector.ts'
import { App } from '../../../support/accounts/oauth-app.ts'
import { adminAuth, TestServer } from '../../../support/server/server.ts'
import { other as bob, owner, renewSessions, server, setupServer } from '../../../support/server/setup.ts'
import { StubService } from '../../../support/services/stub-service.ts'

let appView: StubService
beforeAll(async () => {
  appView = await StubService.start()
})
afterAll(() => appView.close())

setupServer({
  config: () => ({ appViewDid: 'did:web:view.test', appViewUrl: appView.url, allowPrivateTargets: true }),
  accounts: ['alice', 'bob'],
})

const list = 'com.core.admin.listRequests'
const set = (input: { on?: boolean; clear?: boolean }) =>
  server.post('com.core.admin.setInspector', input, owner)
const listed = async (after = 0) => (await server.get(list, { after: String(after) }, owner)).body
/** The response arrives before the request is listed. */
async function latest(name: string) {
  const find = async () => (await listed()).requests.findLast((one: { name: string }) => one.name === name)
  await expect.poll(find).toBeDefined()
  return find()
}

beforeEach(async () => {
  await set({ on: true })
  await set({ clear: true })
})

describe('the switch', () => {
  test('is off at first, and nothing is recorded', async () => {
    const fresh = await TestServer.start()
    await fresh.account('first')
    const { body } = await fresh.get(list, {}, adminAuth)
    expect(body).toMatchObject({ on: false, requests: [] })
    expect(body.until).toBeUndefined()
    expect(fresh.running.services.operation.inspector.observing.observe).toBeUndefined()
    await fresh.close()
  })

  test('turns itself off after an hour, and drops the requests', async () => {
    await server.get('com.core.server.getSession', {}, owner)
    await latest('com.core.server.getSession')
    const { until } = await listed()
    const left = Date.parse(until) - server.clock.now().getTime()
    expect(left / 60_000).toBeCloseTo(60, 0)
    await server.elapse(59 * 60_000)
    await renewSessions()
    expect((await listed()).on).toBe(true)
    await server.elapse(60_000)
    expect(await listed()).toMatchObject({ on: false, requests: [] })
    expect(server.running.services.operation.inspector.observing.observe).toBeUndefined()
  })

  test('turns itself off at the next request also while its list is not read', async () => {
    await server.elapse(61 * 60_000)
    await server.get('com.core.server.describeServer')
    const { inspector } = server.running.services.operation
    await expect.poll(() => inspector.observing.observe).toBeUndefined()
    expect(inspector.after(0)).toEqual([])
    await renewSessions()
  })

  test('is off after a restart', async () => {
    await server.restart()
    expect(await listed()).toMatchObject({ on: false, requests: [] })
  })

  test('drops the requests when it is turned off', async () => {
    await server.get('com.core.server.describeServer')
    await latest('com.core.server.describeServer')
    await set({ on: false })
    await set({ on: true })
    const names = (await listed()).requests.map(({ name }: { name: string }) => name)
    expect(names).not.toContain('com.core.server.describeServer')
  })

  test('is for the owner alone', async () => {
    expect((await server.get(list, {}, bob)).body.error).toBe('Forbidden')
    expect((await server.post('com.core.admin.setInspector', { on: true }, bob)).body.error).toBe('Forbidden')
  })
})

describe('the list', () => {
  test('has method, account, app password, duration, sizes and parameters', async () => {
    const app = await server.appSession(bob, 'Phone')
    await fetch(
      `${server.url}/xrpc/com.atproto.repo.listRecords?repo=${bob.did}&collection=app.bsky.feed.post&token=x`,
      {
        headers: {
          authorization: `Bearer ${app.accessJwt}`,
          'user-agent': 'demo/1.0 (test)',
          cookie: 'a=secret',
        },
      },
    ).then((response) => response.text())
    const request = await latest('com.core.repo.listRecords')
    expect(request).toMatchObject({
      ...{ verb: 'GET', path: '/xrpc/com.atproto.repo.listRecords', status: 200 },
      ...{ did: bob.did, handle: bob.handle, openedWith: 'appPassword', app: 'Phone' },
      ...{ client: 'demo/1.0 (test)', scheme: 'bearer', ownPage: false, inputCut: false },
      outputBytes: '{"records":[]}'.length,
      params: [
        { name: 'repo', value: bob.did },
        { name: 'collection', value: 'app.bsky.feed.post' },
        { name: 'token', value: '…' },
      ],
    })
    expect(request.microseconds).toBeGreaterThan(0)
    expect(JSON.stringify(request)).not.toContain(app.accessJwt.slice(10, 30))
  })

  test('stays readable after parameters with NUL and long texts', async () => {
    const cursor = `${'x'.repeat(999)}💥`
    await server.get('com.core.sync.listRepos', { cursor, other: 'a\0b' })
    const { params } = await latest('com.core.sync.listRepos')
    expect(params).toEqual([
      { name: 'cursor', value: `${'x'.repeat(999)}\ufffd` },
      { name: 'other', value: 'a\ufffdb' },
    ])
  })

  test('has inputs and errors, without secrets', async () => {
    const input = { identifier: 'bob.test', password: 'wrong horse' }
    await server.post('com.core.server.createSession', input)
    const request = await latest('com.core.server.createSession')
    expect(request).toMatchObject({
      status: 401,
      error: 'AuthenticationRequired',
      inputType: 'application/json',
    })
    expect(JSON.parse(request.input)).toEqual({ ...input, password: '…' })
    expect(JSON.parse(request.errorBody).error).toBe('AuthenticationRequired')
    expect(request.inputBytes).toBe(JSON.stringify(input).length)
  })

  test('has the input of a call that the lexicon refuses', async () => {
    await server.post('com.core.repo.createRecord', { repo: 1, collection: 'x', record: { text: 'hi' } }, bob)
    const request = await latest('com.core.repo.createRecord')
    expect(request).toMatchObject({ status: 400, error: 'InvalidRequest', handle: bob.handle })
    expect(JSON.parse(request.input)).toEqual({ repo: 1, collection: 'x', record: { text: 'hi' } })
  })

  test('has only type and size of media', async () => {
    const headers = { authorization: `Bearer ${bob.accessJwt}`, 'content-type': 'text/plain' }
    await server.fetch('/xrpc/com.core.repo.uploadBlob', { method: 'POST', headers, body: 'private text' })
    const request = await latest('com.core.repo.uploadBlob')
    expect(request).toMatchObject({ status: 200, inputType: 'text/plain', inputBytes: 12 })
    expect(request.input).toBeUndefined()
  })

  test('has the size of a streamed and of a compressed response, which arrive whole', async () => {
    const repo = await fetch(`${server.url}/xrpc/com.core.sync.getRepo?did=${bob.did}`)
    const { byteLength } = await repo.arrayBuffer()
    expect((await latest('com.core.sync.getRepo')).outputBytes).toBe(byteLength)
    const headers = { 'accept-encoding': 'gzip', authorization: `Bearer ${bob.accessJwt}` }
    for (let note = 0; note < 40; note++) {
      const record = { text: `${note} ${'x'.repeat(100)}`, createdAt: '2030-01-01T00:00:00Z' }
      await server.post(
        'com.core.repo.createRecord',
        { repo: bob.did, collection: 'com.test.note', record },
        bob,
      )
    }
    const query = `repo=${bob.did}&collection=com.test.note`
    const { records } = await server
      .fetch(`/xrpc/com.core.repo.listRecords?${query}`, { headers })
      .then((one) => one.body)
    expect(records).toHaveLength(40)
    const { outputBytes } = await latest('com.core.repo.listRecords')
    expect(outputBytes).toBeGreaterThan(1500)
    expect(outputBytes).toBeLessThan(JSON.stringify({ records }).length / 2)
  })

  test('never has the body of an endpoint of OAuth', async () => {
    const body = new URLSearchParams({ grant_type: 'authorization_code', code: 'the-code', client_id: 'x' })
    await fetch(`${server.url}/oauth/token`, { method: 'POST', body })
    const request = await latest('/oauth/token')
    expect(request).toMatchObject({ verb: 'POST', path: '/oauth/token' })
    expect(request.status).toBeGreaterThanOrEqual(400)
    expect(request.error).toBeTypeOf('string')
    expect(request.input).toBeUndefined()
    expect(JSON.stringify(request)).not.toContain('the-code')
  })

  test('has streams when they connect, and again when they end with an error', async () => {
    const socket = new WebSocket(
      `${server.url.replace('http', 'ws')}/xrpc/com.core.sync.subscribeRepos?cursor=99999999`,
    )
    await new Promise((resolve) => socket.addEventListener('close', resolve))
    await latest('com.core.sync.subscribeRepos')
    const { requests } = await listed()
    expect(requests).toMatchObject([
      { path: '/xrpc/com.core.sync.subscribeRepos', status: 101 },
      { path: '/xrpc/com.core.sync.subscribeRepos', status: 101, error: 'FutureCursor' },
    ])
  })

  test('has forwarded calls with their input', async () => {
    await server
      .fetch('/xrpc/app.bsky.graph.muteActor', {
        method: 'POST',
        headers: { authorization: `Bearer ${bob.accessJwt}`, 'content-type': 'application/json' },
        body: JSON.stringify({ actor: owner.did, token: 'x' }),
      })
      .catch(() => {})
    const mute = await latest('app.example.graph.muteActor')
    expect(JSON.parse(mute.input)).toEqual({ actor: owner.did, token: '…' })
    await fetch(`${server.url}/xrpc/app.bsky.unknown.doSomething`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bob.accessJwt}`, 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'hello', secret: 'x' }),
    })
    const unknown = await latest('app.example.unknown.doSomething')
    expect(unknown.handle).toBe(bob.handle)
    expect(JSON.parse(unknown.input)).toEqual({ text: 'hello', secret: '…' })
  })

  test('marks requests of a client that disconnects', async () => {
    const disconnect = new AbortController()
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(10)) })
    const headers = { authorization: `Bearer ${bob.accessJwt}`, 'content-type': 'image/png' }
    const init = { method: 'POST', headers, body, duplex: 'half', signal: disconnect.signal }
    const sent = fetch(`${server.url}/xrpc/com.core.repo.uploadBlob`, init as RequestInit).catch(() => {})
    setTimeout(() => disconnect.abort(), 100)
    await sent
    const request = await latest('com.core.repo.uploadBlob')
    expect(request.status).toBeUndefined()
    expect(request.handle).toBe(bob.handle)
  })

  test('has the newest 500, in pages after an id', async () => {
    await Promise.all(Array.from({ length: 510 }, () => server.get('com.core.server.describeServer')))
    await expect.poll(async () => (await listed()).requests.length).toBe(500)
    const { oldest, newest, requests } = await listed()
    expect([oldest, newest]).toEqual([requests[0].id, requests.at(-1).id])
    expect((await listed(newest)).requests).toEqual([])
    expect((await listed(newest - 3)).requests).toHaveLength(3)
  })

  test('has no credentials of any call', async () => {
    const secrets = [
      bob.accessJwt,
      bob.refreshJwt,
      'cookie-value',
      'proof-value',
      adminAuth.slice('Basic '.length),
    ]
    const seen: string[] = []
    for (const { nsid, schema } of methods) {
      const [accessJwt = '', refreshJwt = '', cookie = '', proof = '', admin = ''] = secrets
      const authorization =
        [`Bearer ${accessJwt}`, `DPoP ${refreshJwt}`, `Basic ${admin}`][seen.length % 3] ?? ''
      const headers = { authorization, cookie, dpop: proof, 'user-agent': `app Bearer ${accessJwt}` }
      const query = `?note=${accessJwt}&redirect=${encodeURIComponent(`https://x.test/?token=${proof}`)}`
      const method = schema.type === 'query' ? 'GET' : 'POST'
      await fetch(`${server.url}/xrpc/${nsid}${query}`, { method, headers }).then((response) =>
        response.text(),
      )
      seen.push(nsid)
      if (seen.length % 100 === 0) await check()
    }
    await check()

    async function check() {
      const text = JSON.stringify((await listed()).requests)
      expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
    }
  })

  test('leaves out its own calls', async () => {
    await listed()
    await listed()
    const names = (await listed()).requests.map(({ name }: { name: string }) => name)
    expect(names).not.toContain(list)
  })
})

describe('a server that is observed from its start', () => {
  test('calls the observer with each request, and keeps the list on', async () => {
    const seen: ObservedRequest[] = []
    const observed = await TestServer.start({}, undefined, {
      inspector: 'on',
      observe: (request) => void seen.push(request),
    })
    await observed.account('first')
    await expect.poll(() => seen.map(({ name }) => name)).toEqual(['com.core.server.createAccount'])
    await observed.post('com.core.admin.setInspector', { on: false }, adminAuth)
    const { body } = await observed.get(list, {}, adminAuth)
    expect(body.on).toBe(true)
    expect(body.until).toBeUndefined()
    expect(body.requests[0]).toMatchObject({ name: 'com.core.server.createAccount' })
    await observed.close()
  })

  test('answers requests even if the observer fails', async () => {
    const observed = await TestServer.start({}, undefined, {
      observe() {
        throw new Error('a fault of the observer')
      },
    })
    expect((await observed.get('com.core.server.describeServer')).status).toBe(200)
    expect((await observed.get('com.core.server.describeServer')).status).toBe(200)
    await observed.close()
  })
})

describe('apps that sign in by OAuth', () => {
  setupServer({ config: { publicUrl: undefined }, accounts: ['alice'], options: { inspector: 'on' } })

  test('are named by their client id, also when a call is refused', async () => {
    const app = await App.create('atproto repo:app.bsky.feed.post?action=create')
    const tokens = await app.signIn(owner)
    const record = { text: 'x', createdAt: '2030-01-01T00:00:00Z' }
    const input = (collection: string) => ({ input: { repo: owner.did, collection, record } })
    const sender = { handle: owner.handle, openedWith: 'oauth', app: app.clientId, scheme: 'dpop' }
    await app.call('com.atproto.repo.createRecord', tokens, input('app.bsky.feed.post'))
    expect(await latest('com.core.repo.createRecord')).toMatchObject({ ...sender, status: 200 })
    await app.call('com.atproto.repo.createRecord', tokens, input('app.bsky.feed.like'))
    const isRefused = async () => (await latest('com.core.repo.createRecord')).error === 'ScopeMissingError'
    await expect.poll(isRefused).toBe(true)
    expect(await latest('com.core.repo.createRecord')).toMatchObject(sender)
    const text = JSON.stringify((await listed()).requests)
    for (const secret of [tokens.access_token, tokens.refresh_token, app.verifier])
      expect(text).not.toContain(secret)
  })
})
