import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readCarWithRoot, verifyRepo } from '@atproto/repo'
import type { DidString } from '@atproto/syntax'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { saveRepo } from '../../../../server/repository/records/export.ts'
import { schema } from '../../../../server/schema/schema.ts'
import { isProtected } from '../../../../server/store/backups/backup-content.ts'
import { runInWorker } from '../../../../server/store/backups/tasks.ts'
import { pageBytes } from '../../../../server/store/pages/page.ts'
import { runCommand } from '../../../support/replicas/copies.ts'
import { type AppSession, TestServer } from '../../../support/server/server.ts'
import { owner as alice, server, setupServer } from '../../../support/server/setup.ts'
import { ownerOnly } from '../../../support/store/modes.ts'

let folder: string
let phone: AppSession

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pds-portable-'))
})
afterAll(() => rm(folder, { recursive: true }))
setupServer({ accounts: ['alice'] })
beforeAll(async () => {
  phone = await server.appSession(alice, 'phone')
  await server.account('bob')
  await post('Hello')
})

function post(text: string) {
  const record = { text, createdAt: '2030-01-01T00:00:00Z' }
  const input = { repo: alice.did, collection: 'app.example.feed.post', record }
  return server.post('com.core.repo.createRecord', input, alice)
}

const run = (command: string, ...args: string[]) => runCommand(command, args)

async function expectSameData(there: TestServer): Promise<void> {
  expect((await there.get('com.core.server.getSession', {}, alice)).body).toMatchObject({ did: alice.did })
  expect((await there.signIn(alice)).status).toBe(200)
  for (const { refreshJwt } of [alice, phone]) {
    const { status } = await there.post('com.core.server.refreshSession', undefined, refreshJwt)
    expect(status).toBe(200)
  }
  expect((await there.signIn(alice, { password: phone.password })).status).toBe(200)
  const records = { repo: alice.did, collection: 'app.example.feed.post' }
  expect((await there.get('com.core.repo.listRecords', records)).body.records).toMatchObject([
    { value: { text: 'Hello' } },
  ])
  const key = async (at: TestServer) =>
    (await at.get('com.core.repo.describeRepo', { repo: alice.did })).body.didDoc
  expect(await key(there)).toEqual(await key(server))
}

test('one-file backups: an encrypted one restores accounts, keys and sessions on another machine', {
  timeout: 300_000,
}, async () => {
  const file = join(folder, 'everything.tar.gz.age')
  await server.running.services.store.export(file, 'a long passphrase')
  expect((await stat(file)).mode & 0o777).toBe(ownerOnly)
  expect((await readFile(file)).includes('alice')).toBe(false)
  expect(await isProtected(file)).toBe(true)
  const describe = (passphrase: string) =>
    runInWorker({ kind: 'describe', dir: tmpdir(), file, options: { passphrase, schema } })
  const pages = server.running.services.store.get<{ n: number }>(
    'SELECT page_count AS n FROM pragma_page_count',
  )
  expect(await describe('a long passphrase')).toMatchObject({
    bytes: (pages?.n ?? 0) * pageBytes,
    handles: ['alice.test', 'bob.test'],
    records: 1,
    notifications: 0,
  })
  await expect(describe('another')).rejects.toHaveProperty('passphrase', 'wrong')

  const dataDir = join(folder, 'new-machine')
  const restore = (passphrase: string) =>
    runInWorker({
      kind: 'restore',
      dir: dataDir,
      file,
      passphrase,
      schema,
      at: new Date(),
    })
  expect(await restore('a long passphrase')).toBe(undefined)
  const there = await TestServer.start({ dataDir })
  await expectSameData(there)
  await there.close()
})

test('one-file backups: the commands write one and restore it over existing data', {
  timeout: 300_000,
}, async () => {
  const file = join(folder, 'from-the-command.tar.gz.age')
  const secret = join(folder, 'passphrase')
  await writeFile(secret, 'from a file\nand not this\n')
  const from = ['--data-dir', server.config.dataDir]
  const made = await run('backup', '--export', file, '--passphrase-file', secret, ...from)
  expect(made).toContain('There is no way to read it without the passphrase')
  const written = await readFile(file)
  const again = run('backup', '--export', file, '--passphrase-file', secret, ...from)
  await expect(again).rejects.toThrow('exists, and is kept. Name another file, or delete it first.')
  expect(await readFile(file)).toEqual(written)
  const open = join(folder, 'open.tar.gz')
  await expect(run('backup', '--export', open, ...from)).rejects.toHaveProperty(
    'stderr',
    expect.stringContaining('A passphrase can only be typed in a terminal'),
  )
  expect(await run('backup', '--export', open, '--unprotected', ...from)).toContain('It is not encrypted')

  const there = await TestServer.start()
  const to = ['--data-dir', there.config.dataDir]
  await there.account('carol')
  await there.running.close()
  await expect(run('restore', file, ...to)).rejects.toHaveProperty(
    'stderr',
    expect.stringContaining('is encrypted'),
  )
  await expect(run('restore', file, '--passphrase-file', file, ...to)).rejects.toHaveProperty(
    'stderr',
    expect.stringContaining('This passphrase does not decrypt'),
  )
  await there.open()
  expect((await there.signIn({ handle: 'carol.test', password: 'carol-password' })).status).toBe(200)
  await there.running.close()

  expect(await run('restore', file, '--passphrase-file', secret, ...to)).toContain('replaced-')
  await there.open()
  await expectSameData(there)
  await there.running.close()
  await run('restore', open, ...to)
  await there.open()
  await expectSameData(there)
  await there.close()
})

test('repository export: the CAR file passes the verification of the library', async () => {
  const { services } = server.running
  const file = join(folder, 'alice.car')
  const did = alice.did as DidString
  expect(await saveRepo(services.repository, did, file)).toBe(true)
  expect((await stat(file)).mode & 0o777).toBe(ownerOnly)
  const car = await readCarWithRoot(new Uint8Array(await readFile(file)))
  const { body } = await server.get('com.core.repo.describeRepo', { repo: did })
  const key = `did:key:${body.didDoc.verificationMethod[0].publicKeyMultibase}`
  const { creates } = await verifyRepo(car.blocks, car.root, did, key)
  expect(creates).toHaveLength(1)
  expect(await saveRepo(services.repository, 'did:plc:unknown', join(folder, 'unknown.car'))).toBe(false)
  expect(await readdir(folder)).not.toContain('unknown.car')
})

test('repository export: a failure to replace the file leaves no temporary file', async () => {
  const taken = join(folder, 'taken')
  await mkdir(join(taken, 'alice.car'), { recursive: true })
  const saved = saveRepo(server.running.services.repository, alice.did as DidString, join(taken, 'alice.car'))
  await expect(saved).rejects.toHaveProperty('syscall', 'rename')
  expect(await readdir(taken)).toEqual(['alice.car'])
})
