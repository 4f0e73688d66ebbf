import { ReadableStream } from 'node:stream/web'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { importRepo } from '../../support/accounts/moving-account.ts'
import { type ArchiveRecord, archiveOf } from '../../support/records/archive.ts'
import { minute } from '../../support/server/clock.ts'
import { FullDisk } from '../../support/server/full-disk.ts'
import { type Account, type Answer, refusal, TestServer } from '../../support/server/server.ts'
import { owner, server, setupServer } from '../../support/server/setup.ts'

const full = refusal(503, 'NotEnoughResources', expect.stringContaining('disk'))

describe('a disk below its reserve', () => {
  const reserve = 1_000_000
  let free: number
  beforeEach(() => {
    free = 2 * reserve
  })
  setupServer({
    config: { diskReserve: reserve },
    options: { freeBytes: async () => free },
    accounts: ['alice'],
    per: 'test',
  })

  const leave = async (bytes: number) => {
    free = bytes
    await server.running.services.store.freeSpace.refresh()
  }
  const at = (rkey: number) => ({ repo: owner.did, collection: 'org.example.thing', rkey: `${rkey}` })
  const write = (rkey: number) =>
    server.post('com.core.repo.putRecord', { ...at(rkey), record: { text: 'x'.repeat(300_000) } }, owner)
  const remove = (rkey: number) => server.post('com.core.repo.deleteRecord', at(rkey), owner)
  const createAccount = () =>
    server.post('com.core.server.createAccount', { handle: 'bob.test', password: 'a good password' })

  test('refuses new records and accounts, while reads and deletions work', async () => {
    expect((await write(0)).status).toBe(200)
    await leave(reserve - 1)
    expect(await write(1)).toMatchObject(full)
    expect(await createAccount()).toMatchObject(full)
    const subscribe = (post: boolean) => {
      const input = { subject: 'did:web:bob.test', activitySubscription: { post, reply: false } }
      return server.post('app.example.notification.putActivitySubscription', input, owner)
    }
    expect(await subscribe(true)).toMatchObject(full)
    expect((await subscribe(false)).status).toBe(200)
    expect((await server.signIn(owner)).status).toBe(200)
    expect((await remove(0)).status).toBe(200)
    await leave(reserve)
    expect((await write(1)).status).toBe(200)
    expect((await createAccount()).status).toBe(200)
  })

  test('accepts records again when deletions have freed space in the database', async () => {
    expect((await write(0)).status).toBe(200)
    await leave(reserve - 200_000)
    expect(await write(1)).toMatchObject(full)
    expect((await remove(0)).status).toBe(200)
    expect((await write(1)).status).toBe(200)
    expect(await write(2)).toMatchObject(full)
  })

  test('refuses however much space the database has, when less than a sixteenth of the reserve is left', async () => {
    for (let rkey = 0; rkey < 4; rkey++) expect((await write(rkey)).status).toBe(200)
    for (let rkey = 0; rkey < 4; rkey++) expect((await remove(rkey)).status).toBe(200)
    // Free pages of the database count beyond half of the reserve, too.
    await leave(reserve / 2 - 1)
    expect((await write(0)).status).toBe(200)
    await leave(reserve / 16 - 1)
    expect(await write(1)).toMatchObject(full)
  })

  test('refuses an import whose temporary files need the reserve', async () => {
    const records: ArchiveRecord[] = [['org.example.thing/0', { text: 'x'.repeat(300_000) }]]
    const archive = archiveOf({ did: owner.did, records })
    const body = () => ReadableStream.from([archive])
    expect((await server.post('com.core.server.deactivateAccount', {}, owner)).status).toBe(200)
    await leave(reserve + 200_000)
    expect(await importRepo(server, owner, body())).toMatchObject(full)
    await leave(reserve + 400_000)
    expect((await importRepo(server, owner, body())).status).toBe(200)
  })

  test('exports large repositories until half of the reserve is used', async () => {
    for (let rkey = 0; rkey < 6; rkey++) expect((await write(rkey)).status).toBe(200)
    const download = () => fetch(`${server.url}/xrpc/com.core.sync.getRepo?did=${owner.did}`)
    await leave(reserve / 2 - 1)
    expect((await download()).status).toBe(503)
    await leave(reserve / 2)
    const { status, body } = await download()
    expect(status).toBe(200)
    await body?.cancel()
  })

  test('is noticed by an upload for the records after it', async () => {
    free = reserve - 1
    const headers = { authorization: `Bearer ${owner.accessJwt}`, 'content-type': 'text/plain' }
    const upload = { method: 'POST', headers, body: 'Hello' }
    expect(await server.fetch('/xrpc/com.core.repo.uploadBlob', upload)).toMatchObject(full)
    expect(await write(0)).toMatchObject(full)
  })
})

test('a write that the disk refuses has the free space read again', async () => {
  const disk = new FullDisk()
  let free = 2
  const server = await TestServer.start({ diskReserve: 1 }, disk.files, { freeBytes: async () => free })
  try {
    const alice = await server.account('alice')
    const { freeSpace } = server.running.services.store
    free = 0
    disk.isFull = true
    const createAppPassword = () => server.post('com.core.server.createAppPassword', { name: 'phone' }, alice)
    expect((await createAppPassword()).status).toBe(503)
    expect(freeSpace.bytes).toBe(0)
  } finally {
    await server.close()
  }
})

describe('a full disk', () => {
  const disk = new FullDisk()
  let server: TestServer
  let alice: Account
  beforeEach(async () => {
    disk.isFull = false
    server = await TestServer.start({}, disk.files)
    alice = await server.account('alice')
  })
  afterEach(() => server.close())

  const createAppPassword = (name: string) =>
    server.post('com.core.server.createAppPassword', { name }, alice)
  const readSession = () => server.get('com.core.server.getSession', {}, alice)
  const health = async () => (await server.fetch('/xrpc/_health')).status

  test('rejects every write and none of 1,000 concurrent reads', async () => {
    const reads = Array.from({ length: 10 }, (_, i) => i)
    disk.isFull = true
    const statuses = { read: new Map<number, number>(), write: new Map<number, number>() }
    const count = (kind: 'read' | 'write', { status }: Answer) =>
      statuses[kind].set(status, (statuses[kind].get(status) ?? 0) + 1)
    for (let round = 0; round < 10; round++) {
      // Last-used times become due again.
      server.clock.advance(10 * minute)
      await Promise.all(
        reads.flatMap((i) => [
          createAppPassword(`phone ${round} ${i}`).then((answer) => count('write', answer)),
          ...reads.map(() => readSession().then((answer) => count('read', answer))),
        ]),
      )
    }
    expect(Object.fromEntries(statuses.read)).toEqual({ 200: 1000 })
    expect(Object.fromEntries(statuses.write)).toEqual({ 503: 100 })

    disk.isFull = false
    expect((await createAppPassword('tablet')).status).toBe(200)
    const list = await server.get('com.core.server.listAppPasswords', {}, alice)
    expect(list.body.passwords).toMatchObject([{ name: 'tablet' }])
  })

  test('reloads the database once, not at every refused write', async () => {
    const { store } = server.running.services
    const before = store.epoch
    disk.isFull = true
    for (let i = 0; i < 5; i++) expect((await createAppPassword(`phone ${i}`)).status).toBe(503)
    expect(store.epoch).toBe(before + 1)
  })

  test('keeps _health at 503 until a write has succeeded', async () => {
    const revokeMissing = () =>
      server.post('com.core.server.revokeAppPassword', { name: 'never made' }, alice)
    disk.isFull = true
    expect((await createAppPassword('phone')).status).toBe(503)
    expect(await health()).toBe(503)
    await revokeMissing()
    expect(await health()).toBe(503)
    disk.isFull = false
    expect((await revokeMissing()).status).toBe(200)
    expect((await readSession()).status).toBe(200)
    expect(await health()).toBe(503)
    expect((await createAppPassword('phone')).status).toBe(200)
    expect(await health()).toBe(200)
  })
})
