/** `GET /xrpc/_health`. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { defaultConfig } from '../../server/platform/config/config.ts'
import { version } from '../../server/platform/config/version.ts'
import { type RunningServer, startServer } from '../../server/server.ts'
import { FullDisk } from '../support/server/full-disk.ts'
import { passwords } from '../support/server/passwords.ts'

let disk: FullDisk
let dataDir: string
let server: RunningServer
beforeEach(async () => {
  disk = new FullDisk()
  dataDir = await mkdtemp(join(tmpdir(), 'pds-test-'))
  const config = defaultConfig({
    dataDir,
    port: 0,
    hosts: ['127.0.0.1'],
    rateLimits: false,
    logLevel: 'silent',
  })
  server = await startServer(config, { passwords, files: disk.files })
})
afterEach(async () => {
  await server.close()
  await rm(dataDir, { recursive: true })
})

const health = async () => {
  const answer = await fetch(`${server.url}/xrpc/_health`)
  return { status: answer.status, body: await answer.json() }
}
const signUp = async (handle: string) => {
  const answer = await fetch(`${server.url}/xrpc/com.core.server.createAccount`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ handle, password: 'correct horse' }),
  })
  return { status: answer.status, body: (await answer.json()) as { error?: string; message?: string } }
}

test('a healthy server returns its version', async () => {
  expect(await health()).toEqual({ status: 200, body: { version } })
})

test('_health is called with GET and refuses every other verb', async () => {
  const head = await fetch(`${server.url}/xrpc/_health`, { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const answer = await fetch(`${server.url}/xrpc/_health`, { method })
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'InvalidRequest' }])
  }
})

test('_health is 503 while the disk is full, and nothing is lost', async () => {
  expect((await signUp('alice.test')).status).toBe(200)
  disk.isFull = true
  const refused = await signUp('bobby.test')
  expect(refused).toMatchObject({ status: 503, body: { error: 'NotEnoughResources' } })
  expect(refused.body.message).not.toContain('ENOSPC')
  expect(await health()).toEqual({ status: 503, body: { version } })
  // Reads still work.
  expect((await fetch(`${server.url}/xrpc/com.core.server.describeServer`)).status).toBe(200)

  disk.isFull = false
  expect((await signUp('bobby.test')).status).toBe(200)
  expect(await health()).toEqual({ status: 200, body: { version } })
  expect(await signUp('alice.test')).toMatchObject({ status: 400, body: { error: 'HandleNotAvailable' } })
})
