/** Sign-in with the client libraries of the network: its own and atcute's. */
import type { Did, Handle } from '@atcute/lexicons'
import { MemoryStore, OAuthClient } from '@atcute/oauth-node-client'
import { describe, expect, test } from 'vitest'
import { decide, issuer, networkClient, openPage } from '../../../support/accounts/oauth.ts'
import { TestServer } from '../../../support/server/server.ts'
import { owner, server, setupServer } from '../../../support/server/setup.ts'

setupServer({ config: { publicUrl: undefined }, accounts: ['alice'] })

describe("the network's own library", () => {
  test.each([
    ['a handle', () => owner.handle],
    ['the address of the server', () => issuer()],
  ])('signs in by %s, calls, renews and signs out', async (_, input) => {
    const client = networkClient(issuer(), 'atproto transition:generic')
    const url = await client.authorize(input(), { scope: 'atproto transition:generic' })
    const { session } = await client.callback(await decide(await openPage(url), owner))
    expect(session.did).toBe(owner.did)

    const call = (path: string, init?: RequestInit) => session.fetchHandler(`/xrpc/${path}`, init)
    const before = await call('com.atproto.server.getSession')
    expect(await before.json()).toMatchObject({ did: owner.did, handle: owner.handle })
    const record = { $type: 'app.bsky.feed.post', text: 'by an app', createdAt: new Date().toISOString() }
    const created = await call('com.atproto.repo.createRecord', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ repo: owner.did, collection: 'app.bsky.feed.post', record }),
    })
    expect(created.status).toBe(200)
    const tokens = await session.getTokenInfo(true)
    expect(tokens.scope).toBe('atproto transition:generic')
    expect((await call('com.atproto.server.getSession')).status).toBe(200)
    await session.signOut()
    const { body } = await server.get('com.core.server.listSessions', {}, owner)
    expect(body.sessions).toHaveLength(1)
  })

  test('a denial reaches the app', async () => {
    const client = networkClient(issuer(), 'atproto')
    const url = await client.authorize(owner.handle, { scope: 'atproto' })
    const params = await decide(await openPage(url), owner, false)
    await expect(client.callback(params)).rejects.toThrow('did not allow')
  })
})

/** Only https counts for it, so its requests to the public address are sent to the server directly. */
test("atcute's library signs in at the public address, calls, and signs out", async () => {
  const there = await TestServer.start({ publicUrl: 'https://pds.test' })
  const account = await there.account('carol')
  const local = (url: string) => url.replace('https://pds.test', `http://localhost:${there.running.port}`)
  const redirectUri = 'http://127.0.0.1/callback'
  const scope = 'atproto transition:generic'
  const handle = account.handle as Handle
  const client = new OAuthClient({
    metadata: { redirect_uris: [redirectUri], scope },
    actorResolver: { resolve: async () => ({ did: account.did as Did, handle, pds: 'https://pds.test' }) },
    stores: { sessions: new MemoryStore(), states: new MemoryStore() },
    fetch: async (input, init) => {
      const request = new Request(input, init)
      const body = request.method === 'GET' ? undefined : await request.arrayBuffer()
      return fetch(local(request.url), {
        method: request.method,
        headers: request.headers,
        body: body ?? null,
      })
    },
  })
  const { url } = await client.authorize({
    target: { type: 'account', identifier: handle },
    scope,
    redirectUri,
  })
  const id = await openPage(local(url.href))
  const { body } = await there.post('com.core.oauth.decideRequest', { id, isAllowed: true }, account)
  const { session } = await client.callback(new URL(body.location).searchParams)
  const answer = await session.handle('/xrpc/com.atproto.server.getSession')
  expect(await answer.json()).toMatchObject({ did: account.did })
  await session.signOut()
  const list = await there.get('com.core.server.listSessions', {}, account)
  expect(list.body.sessions).toHaveLength(1)
  await there.close()
})
