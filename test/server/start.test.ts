import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { defaultConfig } from '../../server/platform/config/config.ts'
import { startServer } from '../../server/server.ts'
import { type Files, nodeFiles } from '../../server/store/files/files.ts'
import { passwords } from '../support/server/passwords.ts'
import { exchange } from '../support/server/raw-http.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'pds-test-'))
})
afterEach(() => rm(dataDir, { recursive: true }))

const start = (port: number, files?: Files) =>
  startServer(defaultConfig({ dataDir, port, hosts: ['127.0.0.1'], logLevel: 'silent' }), {
    passwords,
    ...(files ? { files } : {}),
  })

/** A disk with room for an empty store only. */
const small: Files = {
  ...nodeFiles,
  async create(path) {
    const file = await nodeFiles.create(path)
    const write: typeof file.write = (bytes, position) => {
      const isTransaction = path.endsWith('.journal') && position > 0
      return isTransaction ? Promise.reject(new Error('ENOSPC')) : file.write(bytes, position)
    }
    return { ...file, write }
  },
}

test('a failed start closes the port and the store', async () => {
  const other = await start(0)
  const { port } = other
  await other.close()

  const obstacle = join(dataDir, 'admin-password')
  await rm(obstacle)
  await mkdir(obstacle)
  await expect(start(port)).rejects.toMatchObject({ code: 'EISDIR' })
  await rm(obstacle, { recursive: true })
  await rm(dataDir, { recursive: true })
  await expect(start(port, small)).rejects.toMatchObject({ name: 'StoreUnavailable' })

  const server = await start(port)
  expect((await fetch(`${server.url}/xrpc/_health`)).status).toBe(200)
  await expect(start(0)).rejects.toMatchObject({ name: 'StoreLocked' })
  await server.close()
})

test.each([
  [['0.0.0.0'], 200],
  [['::1', '0.0.0.0'], 200],
  [['127.0.0.1'], 403],
  [['localhost'], 403],
])('listening on %j, a request for an IP address of the network gets %i', async (hosts, status) => {
  const config = defaultConfig({ dataDir, port: 0, hosts, logLevel: 'silent' })
  const server = await startServer(config, { passwords })
  try {
    const head = 'GET /xrpc/_health HTTP/1.1\r\nHost: 192.168.178.20:2583\r\n\r\n'
    expect((await exchange(server.port, head)).status).toBe(status)
  } finally {
    await server.close()
  }
})
