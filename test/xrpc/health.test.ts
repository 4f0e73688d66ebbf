/** Whether the server is well: `GET /xrpc/_health`. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { defaultConfig } from '../../server/config.ts'
import { type RunningServer, startServer } from '../../server/server.ts'
import { type Files, nodeFiles, type OpenFile } from '../../server/store/files.ts'
import { version } from '../../server/version.ts'

/** Set while the disk is full: whatever is written to a journal fails. */
let diskIsFull = false

const full = () => Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
const onFullDisk = (file: OpenFile): OpenFile => ({
  ...file,
  write: async (bytes, position) => {
    if (diskIsFull) throw full()
    return file.write(bytes, position)
  },
})
const files: Files = {
  ...nodeFiles,
  create: async (path) => {
    if (diskIsFull) throw full()
    return onFullDisk(await nodeFiles.create(path))
  },
  edit: async (path) => onFullDisk(await nodeFiles.edit(path)),
}

let dataDir: string
let server: RunningServer
beforeEach(async () => {
  diskIsFull = false
  dataDir = await mkdtemp(join(tmpdir(), 'pds-test-'))
  const config = defaultConfig({
    dataDir,
    port: 0,
    hosts: ['127.0.0.1'],
    rateLimits: false,
    logLevel: 'silent',
  })
  server = await startServer(config, { passwordCost: 4, files })
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

test('a server that is well tells its version', async () => {
  expect(await health()).toEqual({ status: 200, body: { version } })
})

test('a full disk turns it ill until there is room again, and nothing is lost', async () => {
  expect((await signUp('alice.test')).status).toBe(200)
  diskIsFull = true
  const refused = await signUp('bobby.test')
  expect(refused).toMatchObject({ status: 503, body: { error: 'NotEnoughResources' } })
  expect(refused.body.message).not.toContain('ENOSPC')
  expect(await health()).toEqual({ status: 503, body: { version } })
  // Reading goes on.
  expect((await fetch(`${server.url}/xrpc/com.core.server.describeServer`)).status).toBe(200)

  diskIsFull = false
  expect((await signUp('bobby.test')).status).toBe(200)
  expect(await health()).toEqual({ status: 200, body: { version } })
  expect(await signUp('alice.test')).toMatchObject({ status: 400, body: { error: 'HandleNotAvailable' } })
})
