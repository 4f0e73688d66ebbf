/** What the recipes of the guide for tests do, as code that runs after theirs. `guide.test.ts` writes it into a test of a user. */

/** `begin` returns the names that the guide uses. */
export const prelude = `
import { AtpAgent } from '@atproto/api'
import { startNetwork } from 'desktop-pds/testing'
import { afterAll, beforeEach, expect, test } from 'vitest'

const network = await startNetwork({ servers: 2, now: new Date() })
beforeEach(() => network.reset())
afterAll(() => network.stop())

async function begin() {
  const alice = await network.accounts.create({ handle: 'alice' })
  const agent = new AtpAgent({ service: alice.service })
  await agent.login(alice.login)
  return { alice, agent, seen: [] }
}
const signIn = (identifier) =>
  new AtpAgent({ service: network.url }).login({ identifier, password: identifier.split('.')[0] + '-password' })
const post = (agent) => agent.post({ text: 'Hello' })
const firstMessage = (socket) =>
  new Promise((resolve, reject) => {
    socket.onmessage = ({ data }) => {
      resolve(JSON.parse(data))
      socket.close()
    }
    socket.onerror = reject
  })

const scope = 'atproto transition:generic'
const redirect = 'http://127.0.0.1:9999/callback'
const store = () => {
  const kept = new Map()
  return { get: (key) => kept.get(key), set: (key, value) => void kept.set(key, value), del: (key) => void kept.delete(key) }
}
const optionsOfYourApp = {
  clientMetadata: {
    client_id: 'http://localhost?' + new URLSearchParams({ redirect_uri: redirect, scope }),
    redirect_uris: [redirect],
    response_types: ['code'],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
    dpop_bound_access_tokens: true,
    scope,
  },
  stateStore: store(),
  sessionStore: store(),
}
`

/** By the situation in the guide. */
export const checks: Readonly<Record<string, string>> = {
  'expired token': `
    await agent.getTimeline()
    expect(network.requests({ nsid: 'app.bsky.feed.getTimeline' }).map(({ status }) => status)).toEqual([400, 200])
    expect(network.requests({ nsid: 'com.atproto.server.refreshSession', status: 200 })).toHaveLength(1)`,
  'expired session': `
    await expect(agent.getTimeline()).rejects.toThrow()
    expect(network.requests({ nsid: 'com.atproto.server.refreshSession' }).map(({ status }) => status)).toEqual([400])`,
  'rate limit': `
    const { status, headers } = await agent.getTimeline().catch((error) => error)
    expect([status, headers['retry-after']]).toEqual([429, '5'])`,
  'slow server': `
    const start = performance.now()
    await post(agent)
    expect(performance.now() - start).toBeGreaterThan(290)`,
  'cut connection': `
    await expect(post(agent)).rejects.toThrow()
    const { data } = await agent.getAuthorFeed({ actor: alice.did })
    expect(data.feed).toHaveLength(1)`,
  'frozen server': `
    const answer = agent.getTimeline().then(() => 'answer')
    expect(await Promise.race([answer, new Promise((end) => setTimeout(end, 200, 'none'))])).toBe('none')
    network.servers[0].resume()
    expect(await answer).toBe('answer')`,
  offline: `
    await expect(agent.getTimeline()).rejects.toThrow('fetch failed')
    await network.servers[0].restart()
    await agent.getTimeline()`,
  'take-down': `
    await expect(signIn('mallory.test')).rejects.toMatchObject({ error: 'AccountTakedown' })`,
  deactivated: `
    const other = new AtpAgent({ service: network.url })
    await other.resumeSession((await network.accounts.create({ handle: 'erin' })).session)
    await expect(other.getProfile({ actor: alice.did })).rejects.toMatchObject({ error: 'AccountDeactivated' })
    await expect(other.getAuthorFeed({ actor: alice.did })).rejects.toThrow()`,
  deletion: `
    const { did } = network.accounts.list().find(({ handle }) => handle === 'dan.test')
    const find = () => agent.com.atproto.sync.getRepoStatus({ did }).then(({ data }) => data.status, ({ error }) => error)
    await network.clock.advance('29d')
    expect(await find()).toBe('deactivated')
    await network.clock.advance('2d')
    expect(await find()).toBe('RepoNotFound')`,
  'your world': `
    const { data } = await agent.getAuthorFeed({ actor: 'bob.test' })
    expect(data.feed[0].post.record.text).toBe('Hi')`,
  'second factor': `
    await expect(signIn('alice.test')).rejects.toMatchObject({ error: 'AuthFactorTokenRequired' })
    await agent.login({ ...alice.login, authFactorToken: await network.mail.code('alice') })`,
  move: `
    const { data } = await agent.com.atproto.identity.resolveHandle({ handle: 'alice.two.test' })
    expect(data.did).toBe(alice.did)
    expect((await network.accounts.get(alice.did)).service).toBe(network.servers[1].url)`,
  changes: `
    await post(agent)
    for await (const event of network.events({ follow: false, since: seen.at(-1).time_us })) seen.push(event)
    expect(seen.map(({ kind }) => kind)).toEqual(['identity', 'account', 'commit'])`,
  Jetstream: `
    const first = firstMessage(socket)
    await post(agent)
    let event = await first
    expect(event.did).toBe(alice.did)`,
  'event stream': `
    expect((await firstMessage(socket)).payload).toMatchObject({ did: alice.did })`,
}
