import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defaultConfig } from '../../server/config/config.ts'
import { startServer } from '../../server/server.ts'

test('a full server takes no more records or accounts, and goes on once there is room', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'pds-test-'))
  const config = defaultConfig({ dataDir, port: 0, hosts: ['127.0.0.1'], logLevel: 'silent' })
  const server = await startServer(config, { passwordCost: 4, fullBytes: 1_000_000 })
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
