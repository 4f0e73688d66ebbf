import { expect, onTestFinished, test } from 'vitest'
import type { Config } from '../../../server/platform/config/config.ts'
import { createSeededSources } from '../../../server/testing/seed/seeded-sources.ts'
import { replaceSources } from '../../../server/util/sources.ts'
import { day } from '../../support/server/clock.ts'
import { TestServer } from '../../support/server/server.ts'

/** Starts a server whose time and random values follow from a seed. */
async function start(seed: number, overrides: Partial<Config> = {}) {
  let server: TestServer | undefined
  const sources = createSeededSources({
    seed,
    start: new Date('2030-01-01T00:00:00.000Z'),
    settle: async () => server?.running.services.background.idle(),
  })
  const putBack = replaceSources(sources)
  server = await TestServer.start(overrides, undefined, { now: sources.now, passwords: undefined })
  const end = async () => {
    await server?.close()
    putBack()
    sources.close()
  }
  return { server, sources, end }
}

/** Runs the same calls on a new server. @returns what they leave behind */
async function run(seed: number) {
  const { server, sources, end } = await start(seed)
  try {
    const alice = await server.account('alice')
    sources.tick()
    const session = await server.appSession(alice, 'app')
    const records = []
    for (const text of ['one', 'two', 'three']) {
      sources.tick()
      const record = { $type: 'app.bsky.feed.post', text, createdAt: sources.now().toISOString() }
      const input = { repo: alice.did, collection: 'app.bsky.feed.post', record }
      records.push((await server.post('com.core.repo.createRecord', input, session)).body)
    }
    const archive = await fetch(`${server.url}/xrpc/com.core.sync.getRepo?did=${alice.did}`)
    return {
      ...{ alice, session, records },
      code: await server.codeTo(alice.email).catch(() => undefined),
      archive: Buffer.from(await archive.arrayBuffer()).toString('hex'),
    }
  } finally {
    await end()
  }
}

test('two runs of the same calls give the same identities, tokens, passwords and signed repositories', async () => {
  const first = await run(7)
  expect(first.records).toHaveLength(3)
  expect(first.archive.length).toBeGreaterThan(1000)
  expect(await run(7)).toEqual(first)
  const other = await run(8)
  expect(other.alice.did).not.toBe(first.alice.did)
  expect(other.archive).not.toBe(first.archive)
})

test('a year passes: the clock stays plausible, and sessions expire', async () => {
  // Sixty backups would take most of the time.
  const { server, sources, end } = await start(7, { dailyBackups: false })
  onTestFinished(end)
  const alice = await server.account('alice')
  const { clock } = server.running.services
  await sources.advance(365 * day)
  expect(clock.state()).toMatchObject({ now: sources.now(), doubt: undefined })
  const old = await server.get('com.core.server.getSession', {}, alice)
  expect(old).toMatchObject({ status: 400, body: { error: 'ExpiredToken' } })
  expect((await server.signIn(alice)).status).toBe(200)
})
