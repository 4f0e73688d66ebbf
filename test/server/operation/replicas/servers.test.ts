/** Copies at a WebDAV server and in S3 storage, from a server's first record to its restore. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blobOf } from '../../../support/records/blobs.ts'
import { post, runCommand, textsAt } from '../../../support/replicas/copies.ts'
import { S3Server, WebdavServer } from '../../../support/replicas/place-server.ts'
import { adminAuth, TestServer } from '../../../support/server/server.ts'
import { owner as alice, server, setupServer } from '../../../support/server/setup.ts'

let dav: WebdavServer
let s3: S3Server
let root: string
let copiesCredentials: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'pds-copies-'))
  dav = await new WebdavServer().start()
  s3 = await new S3Server().start()
  copiesCredentials = join(root, 'credentials.json')
  const places = { [dav.address]: { password: dav.password }, [s3.address]: s3.credentials }
  await writeFile(copiesCredentials, JSON.stringify({ places }), { mode: 0o600 })
})
afterAll(async () => {
  await dav.close()
  await s3.close()
  await rm(root, { recursive: true })
})
setupServer({
  config: () => ({ copies: [dav.address, s3.address], copiesCredentials }),
  accounts: ['alice'],
})

const run = (command: string, ...args: string[]) =>
  runCommand(command, args, { PDS_COPIES_CREDENTIALS: copiesCredentials })

/** Copies everything, and returns the states of both places. */
async function copy() {
  const { copies } = server.running.services.operation
  await copies.flush(60_000)
  return copies.status()
}

test('what was copied to servers that fail now and then is restored from each', async () => {
  await post(server, 'one')
  await copy()
  for (const place of [dav, s3]) {
    let count = 0
    const faults = ['cut', 'midway', { status: 500 }] as const
    place.fault = () => (count++ % 4 === 3 ? faults[count % 3] : undefined)
  }
  const blob = await blobOf(server, alice, Buffer.from('a file of alice'), 'text/plain')
  expect((await post(server, 'two', { file: blob })).status).toBe(200)
  const failing = await copy()
  for (const { seq = 0 } of failing) expect(seq).toBeLessThanOrEqual(server.running.services.store.seq)
  for (const place of [dav, s3]) place.fault = () => undefined
  for (const { behindSeconds, problem } of await copy()) {
    expect(problem).toBeUndefined()
    expect(behindSeconds).toBe(0)
  }

  const sheet = join(root, 'sheet.txt')
  await run('backup', '--sheet', sheet, '--data-dir', server.config.dataDir)
  for (const { address } of [dav, s3]) {
    const dataDir = await mkdtemp(join(root, 'elsewhere-'))
    const output = await run('restore', '--from', address, '--key', sheet, '--data-dir', dataDir)
    expect(output).toContain('Restored the copy of ')
    expect(output).not.toContain('lacks')
    const there = await TestServer.start({ dataDir })
    expect(await textsAt(there)).toEqual(['one', 'two'])
    await there.close()
  }
})

test('neither handle nor DID, text or password is in what a place has', () => {
  for (const { objects } of [dav, s3]) {
    expect(objects.size).toBeGreaterThan(4)
    for (const [name, content] of objects) {
      for (const secret of [
        'alice',
        'did:',
        alice.did.slice(8),
        'password',
        s3.credentials.secretAccessKey,
      ]) {
        expect(name).not.toContain(secret)
        expect(content.includes(secret)).toBe(false)
      }
    }
  }
})

test('the list of outgoing requests has the servers', async () => {
  const { body } = await server.get('com.core.admin.getNetwork', {}, adminAuth)
  const copies = { purpose: 'copies', state: 'on', targets: [dav.host, s3.host] }
  expect(body.outgoing).toContainEqual(copies)
})
