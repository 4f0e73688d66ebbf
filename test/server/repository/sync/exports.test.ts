/** Exports of repositories while others write and while other readers are slow. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { verifyRepoCar } from '@atproto/repo'
import { afterEach, expect, test } from 'vitest'
import { nodeFiles, type OpenFile } from '../../../../server/store/files/files.ts'
import * as accounts from '../../../../server/store/tables/accounts.ts'
import { open as openRaw, type RawConnection } from '../../../support/server/raw-http.ts'
import { type Account, TestServer } from '../../../support/server/server.ts'

let server: TestServer
const connections: RawConnection[] = []
afterEach(async () => {
  for (const { socket } of connections.splice(0)) socket.destroy()
  await server.close()
})

const collection = 'org.example.thing'
const exported = () => readdir(join(server.config.dataDir, 'exports')).catch(() => [])
const headOf = async (did: string) => (await server.get('com.core.sync.getLatestCommit', { did })).body

function write(account: Account, type: 'create' | 'update' | 'delete', from: number, to: number, text = '') {
  const writes = Array.from({ length: to - from }, (_, n) => ({
    $type: `com.core.repo.applyWrites#${type}`,
    collection,
    rkey: `key-${from + n}`,
    ...(type === 'delete' ? {} : { value: { n: from + n, text } }),
  }))
  return server.post('com.core.repo.applyWrites', { repo: account.did, writes }, account)
}

/** Fills a repository. Returns its revisions. */
async function fill(account: Account, records: number, text: string): Promise<string[]> {
  const revisions: string[] = []
  for (let from = 0; from < records; from += 40) {
    const answer = await write(account, 'create', from, Math.min(from + 40, records), text)
    revisions.push(answer.body.commit.rev)
  }
  return revisions
}

function getRepo(did: string, { auth, since }: { auth?: Account; since?: string } = {}): Promise<Response> {
  const query = new URLSearchParams({ did, ...(since === undefined ? {} : { since }) })
  const headers: Record<string, string> = auth ? { authorization: `Bearer ${auth.accessJwt}` } : {}
  return fetch(`${server.url}/xrpc/com.core.sync.getRepo?${query}`, { headers })
}

async function verified(did: string, answer: Response) {
  expect(answer.status).toBe(200)
  const key = accounts.findByDid(server.running.services.store, did)?.signingKeyDid ?? ''
  return verifyRepoCar(new Uint8Array(await answer.arrayBuffer()), did, key)
}

/** Files of exports whose first write waits until `open` is called. */
function gatedExports() {
  const reached = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  const gated = (file: OpenFile): OpenFile => ({
    ...file,
    async write(bytes, position) {
      reached.resolve()
      await opened.promise
      return file.write(bytes, position)
    },
  })
  return {
    files: {
      ...nodeFiles,
      create: async (path: string) => {
        const file = await nodeFiles.create(path)
        return path.includes('exports') ? gated(file) : file
      },
    },
    reached: reached.promise,
    open: opened.resolve,
  }
}

test('an export contains the commit at which it began, and writes do not wait for it', async () => {
  const gate = gatedExports()
  server = await TestServer.start({}, gate.files)
  const alice = await server.account('alice')
  await fill(alice, 400, 'x'.repeat(10_000))
  const before = await headOf(alice.did)
  const reading = getRepo(alice.did)
  await gate.reached
  // A quarter of the repository has been read, and the file is not written yet.
  for (const [type, from, to] of [
    ['update', 350, 400],
    ['delete', 250, 350],
    ['create', 400, 450],
    ['update', 360, 370],
  ] as const) {
    expect(await write(alice, type, from, to, 'changed')).toMatchObject({ status: 200 })
  }
  gate.open()
  const { commit, creates } = await verified(alice.did, await reading)
  expect({ cid: commit.cid.toString(), rev: commit.rev }).toEqual(before)
  expect(creates).toHaveLength(400)
  const after = await verified(alice.did, await getRepo(alice.did))
  expect(after.creates).toHaveLength(350)
})

test('readers of one commit share a file, whatever revision they have', async () => {
  server = await TestServer.start()
  const alice = await server.account('alice')
  const revisions = await fill(alice, 1000, 'x'.repeat(10_000))
  const paused = await Promise.all([
    getRepo(alice.did),
    ...revisions.slice(0, 5).map((since) => getRepo(alice.did, { since })),
  ])
  expect(await exported()).toHaveLength(1)
  const [whole, ...newer] = await Promise.all(paused.map((answer) => answer.arrayBuffer()))
  expect(newer.map(({ byteLength }) => byteLength).toSorted((a, b) => b - a)).toEqual(
    newer.map(({ byteLength }) => byteLength),
  )
  expect(newer[0]?.byteLength).toBeLessThan(whole?.byteLength ?? 0)
  await expect.poll(exported).toEqual([])
})

test('a client that does not read its exports keeps no other reader from theirs', async () => {
  server = await TestServer.start({ proxyPort: 0 })
  const alice = await server.account('alice')
  // More than the buffers of a connection hold.
  await fill(alice, 1000, 'x'.repeat(20_000))
  const path = `/xrpc/com.core.sync.getRepo?did=${alice.did}`
  for (let n = 0; n < 60; n++) {
    const connection = await openRaw(Number(new URL(server.proxyUrl).port))
    connections.push(connection)
    connection.socket.pause()
    connection.send(`GET ${path} HTTP/1.1\r\nhost: pds.test\r\nx-forwarded-for: 198.51.100.7\r\n\r\n`)
  }
  const from = (address: string, auth?: Account) =>
    fetch(server.proxyUrl + path, {
      headers: {
        'x-forwarded-for': address,
        ...(auth ? { authorization: `Bearer ${auth.accessJwt}` } : {}),
      },
    })
  const refused = await from('198.51.100.7')
  expect(refused.status).toBe(429)
  expect(await refused.json()).toMatchObject({ error: 'RateLimitExceeded' })
  for (const answer of [await from('203.0.113.9'), await from('198.51.100.7', alice)]) {
    expect((await verified(alice.did, answer)).creates).toHaveLength(1000)
  }
})
