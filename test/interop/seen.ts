/** What relays have of this server: one that reads the stream with the network's own library, and the reference server's answer. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeRelay } from '../support/services/fake-relay.ts'
import { type Account, createAccount } from './accounts.ts'
import { Consumer } from './consumer.ts'
import { migrate } from './migration.ts'
import { poll } from './poll.ts'
import { adminPassword } from './processes.ts'
import type { World } from './world.ts'
import { create, setActive } from './writes.ts'
import { get, post } from './xrpc.ts'

const admin = `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}`

export function seen({ newServer, theirs, directory, reference, readCode }: World): void {
  test('relay states follow what the consumer library has read of the stream', async (t) => {
    const relay = await FakeRelay.start()
    t.after(() => relay.close())
    const server = await newServer({ PDS_RELAYS: relay.url })
    t.after(() => server.remove())
    const reader = new Consumer(reference, server.url, directory.url)
    t.after(() => reader.close())
    const accounts = [await createAccount(server.url, 'seenone'), await createAccount(server.url, 'seentwo')]
    const [one] = accounts as [Account]

    /** The relay has what the library has read and verified so far. */
    const answerFromReader = () => {
      relay.host = { seq: reader.lastNumber(), status: 'active' }
      for (const { did } of accounts) {
        const rev = reader.revision(did)
        if (rev !== undefined) relay.repos.set(did, { active: true, rev })
      }
    }
    const states = async () => {
      const { body } = await post(server.url, 'com.core.admin.checkRelays', { auth: admin })
      const [{ state, eventsBehind, accounts: found }] = body.relays
      return { state, eventsBehind, accounts: found.map((account: { state: string }) => account.state) }
    }
    const everything = { state: 'upToDate', eventsBehind: 0, accounts: ['seen', 'seen'] }
    const becomesSeen = () =>
      poll(
        async () => {
          answerFromReader()
          return JSON.stringify(await states()) === JSON.stringify(everything) || undefined
        },
        () => `last read ${reader.lastNumber()}`,
      )

    await t.test('everything was read', async () => {
      for (const account of accounts) await create(account, 1)
      await becomesSeen()
    })
    await t.test('more was written since', async () => {
      await create(one, 2)
      await create(one, 3)
      const found = await states()
      assert.deepEqual(
        { ...found, accounts: found.accounts.toSorted() },
        { state: 'behind', eventsBehind: 2, accounts: ['behind', 'seen'] },
      )
      await becomesSeen()
    })
    await t.test('an account that is not active is not asked about', async () => {
      await setActive(one, false)
      await reader.sees(one.did, ({ status }) => status === 'deactivated')
      answerFromReader()
      assert.deepEqual(await states(), { ...everything, accounts: ['seen'] })
      assert.deepEqual(reader.errors(one.did), [])
    })
  })

  test('the reference server says of accounts what relays say', async (t) => {
    const relay = await FakeRelay.start()
    t.after(() => relay.close())
    const server = await newServer({ PDS_RELAYS: relay.url })
    t.after(() => server.remove())
    const from = await createAccount(theirs.url, 'seenmoved')
    const { did } = await migrate(from, { server: server.url, password: 'password after the move' }, readCode)
    const { body: status } = await get(theirs.url, 'com.atproto.sync.getRepoStatus', { params: { did } })
    relay.host = { seq: 0, status: 'active' }
    relay.repos.set(did, status)
    const { body } = await post(server.url, 'com.core.admin.checkRelays', { auth: admin })
    assert.deepEqual(
      body.relays[0].accounts.map(({ state, status }: Record<string, unknown>) => ({ state, status })),
      [{ state: 'inactive', status: 'deactivated' }],
    )
  })
}
