import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { defaultConfig } from '../../../server/platform/config/config.ts'
import { startServer } from '../../../server/server.ts'
import { minute } from '../../support/clock.ts'
import { FullDisk } from '../../support/full-disk.ts'
import { passwords } from '../../support/passwords.ts'
import { type Account, type Answer, TestServer } from '../../support/server.ts'

test('a full server refuses new records and accounts until something is deleted', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'pds-test-'))
  const config = defaultConfig({ dataDir, port: 0, hosts: ['127.0.0.1'], logLevel: 'silent' })
  const server = await startServer(config, { passwords, fullBytes: 1_000_000 })
  const call = async (nsid: string, input: object, token?: string) => {
    const answer = await fetch(`${server.url}/xrpc/${nsid}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(input),
    })
    const body = (await answer.json()) as Record<string, string>
    return { status: answer.status, body }
  }
  const account = { handle: 'alice.test', password: 'a good password' }
  try {
    const { did, accessJwt } = (await call('com.core.server.createAccount', account)).body
    const at = { repo: did, collection: 'org.example.thing' }
    const write = (rkey: number) =>
      call(
        'com.core.repo.putRecord',
        { ...at, rkey: `${rkey}`, record: { text: 'x'.repeat(300_000) } },
        accessJwt,
      )
    let written = 0
    while (written < 10 && (await write(written)).status === 200) written++
    const full = { status: 503, body: { error: 'NotEnoughResources', message: expect.any(String) } }
    expect(await write(written)).toEqual(full)
    expect(await call('com.core.server.createAccount', { ...account, handle: 'bob.test' })).toEqual(full)
    const subscribe = (post: boolean) => {
      const input = { subject: 'did:web:bob.test', activitySubscription: { post, reply: false } }
      return call('app.example.notification.putActivitySubscription', input, accessJwt)
    }
    expect(await subscribe(true)).toEqual(full)
    expect((await subscribe(false)).status).toBe(200)
    const session = { identifier: account.handle, password: account.password }
    expect((await call('com.core.server.createSession', session)).status).toBe(200)
    expect((await call('com.core.repo.deleteRecord', { ...at, rkey: '0' }, accessJwt)).status).toBe(200)
    expect((await write(written)).status).toBe(200)
  } finally {
    await server.close()
    await rm(dataDir, { recursive: true })
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
