/** Sign-in with the client libraries of the network: its own and atcute's. */
import { describe, expect, test } from 'vitest'
import { decide, issuer, networkClient, openPage } from '../../../support/oauth.ts'
import { owner, server, setupServer } from '../../../support/setup.ts'

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
