/** Media whose file is damaged on disk: found by the check of backups, not served, listed as missing, uploaded again. */
import { createReadStream } from 'node:fs'
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { makeBackup } from '../../../../server/operation/replicas/local/backups.ts'
import { type Backup, listBackups } from '../../../../server/operation/replicas/local/list.ts'
import { createBackupProofs } from '../../../../server/operation/replicas/local/proofs.ts'
import { blobOf, download, png } from '../../../support/records/blobs.ts'
import { hour } from '../../../support/server/clock.ts'
import { refusal } from '../../../support/server/server.ts'
import { owner as alice, renewSessions, server, setupServer } from '../../../support/server/setup.ts'

let cid: string
let uri: string
const image = png('kept', 5000)

setupServer({ accounts: ['alice'], per: 'test' })
beforeEach(async () => {
  const avatar = await blobOf(server, alice, image)
  cid = avatar.ref.$link
  const record = { $type: 'app.example.actor.profile', avatar }
  const input = { repo: alice.did, collection: 'app.example.actor.profile', rkey: 'self', record }
  uri = (await server.post('com.core.repo.putRecord', input, alice)).body.uri
})

const services = () => server.running.services
const live = () => join(server.config.dataDir, 'blobs', cid.slice(-2), cid)
const kept = () => join(server.config.dataDir, 'backups', 'blobs', cid.slice(-2), cid)
const ino = async (path: string) => (await stat(path)).ino

/** Flips a bit of a file in place: all of its names have the damage. */
async function flip(path: string): Promise<void> {
  const bytes = await readFile(path)
  bytes[1000] = (bytes[1000] ?? 0) ^ 1
  await writeFile(path, bytes)
}

/** Replaces a file by a damaged one: its other names keep the good content. */
async function flipAlone(path: string): Promise<void> {
  const bytes = await readFile(path)
  await rm(path)
  await writeFile(path, bytes)
  await flip(path)
}

async function served(): Promise<'good' | 'damaged' | number> {
  const answer = await download(server, alice.did, cid)
  const body = Buffer.from(await answer.arrayBuffer())
  if (answer.status !== 200) return answer.status
  return body.equals(image) ? 'good' : 'damaged'
}

async function missing(): Promise<unknown> {
  return (await server.get('com.core.repo.listMissingBlobs', {}, alice)).body.blobs
}

async function counts(): Promise<{ expectedBlobs: number; importedBlobs: number }> {
  const { expectedBlobs, importedBlobs } = (await server.get('com.core.server.checkAccountStatus', {}, alice))
    .body
  return { expectedBlobs, importedBlobs }
}

/** A week passes, after which the newest backup is checked again. */
async function recheck(): Promise<void> {
  server.clock.advance(7 * 24 * hour)
  await services().operation.backupProofs.proveDue()
  await renewSessions()
}

/** Backs up and checks as the periodic jobs do. */
async function backUp() {
  server.clock.advance(hour)
  await makeBackup({ dataDir: server.config.dataDir, now: server.clock.now, store: services().store })
  await services().operation.backupProofs.proveDue()
  await renewSessions()
  return (await listBackups(server.config.dataDir))[0]
}

/** The list of the media of a backup. */
function mediaOf(backup: Backup | undefined): Promise<string> {
  return readFile(join(server.config.dataDir, 'backups', backup?.name ?? '', 'media'), 'utf8')
}

test('an upload replaces a damaged file of the same size', async () => {
  await flip(live())
  expect(await served()).toBe('damaged')
  await blobOf(server, alice, image)
  expect(await served()).toBe('good')
})

test('a reader of the replaced file gets its old content to the end', async () => {
  const reader = createReadStream(live(), { highWaterMark: 1000 })
  const chunks = reader[Symbol.asyncIterator]()
  const first = await chunks.next()
  await blobOf(server, alice, image)
  const rest = []
  for await (const chunk of { [Symbol.asyncIterator]: () => chunks }) rest.push(chunk)
  expect(Buffer.concat([first.value, ...rest]).equals(image)).toBe(true)
})

test('the check of backups marks a damaged file as missing; an upload of the file repairs it and the backups', async () => {
  await backUp()
  expect(await ino(live())).toBe(await ino(kept()))
  await flip(live())
  await recheck()

  expect(await served()).toBe(400)
  expect(await download(server, alice.did, cid).then((answer) => answer.json())).toMatchObject({
    error: 'BlobNotFound',
  })
  expect(await missing()).toEqual([{ cid, recordUri: uri, damaged: true }])
  expect(await counts()).toEqual({ expectedBlobs: 1, importedBlobs: 0 })
  expect((await server.get('com.core.sync.listBlobs', { did: alice.did })).body.cids).toEqual([])
  expect((await server.get('com.core.server.getUsage', {}, alice)).body.blobs).toEqual({ count: 0, bytes: 0 })

  // A record that names the damaged file anew is refused, an update of the one that has it is not.
  const { body } = await server.get(
    'com.core.repo.getRecord',
    { repo: alice.did, collection: 'app.example.actor.profile', rkey: 'self' },
    alice,
  )
  const put = (record: unknown) =>
    server.post(
      'com.core.repo.putRecord',
      { repo: alice.did, collection: 'app.example.actor.profile', rkey: 'self', record },
      alice,
    )
  expect((await put({ ...body.value, displayName: 'Alice' })).status).toBe(200)

  // Later backups say what they lack, and are not damaged themselves.
  const later = await backUp()
  expect(later?.proof).toMatchObject({ problem: undefined, missing: { count: 1, cids: [cid] } })
  expect(await mediaOf(later)).not.toContain(cid)

  await blobOf(server, alice, image)
  expect(await served()).toBe('good')
  expect(await missing()).toEqual([])
  expect(await counts()).toEqual({ expectedBlobs: 1, importedBlobs: 1 })
  expect((await readFile(kept())).equals(image)).toBe(true)
  const last = await backUp()
  expect(last?.proof).toEqual({
    checkedAt: expect.any(Date),
    provenAt: last?.proof?.checkedAt,
    problem: undefined,
    missing: undefined,
  })
  expect(await mediaOf(last)).toContain(cid)
})

test('damage that the check of a command finds beside the server is acted on within an hour, once', async () => {
  await flip(live())
  const { dataDir } = server.config
  // As `npm run backup` does.
  server.clock.advance(hour)
  const now = server.clock.now
  const proof = await createBackupProofs({ dataDir, now }).prove(await makeBackup({ dataDir, now }))
  expect(proof.problem).toBe(`A media file is missing or damaged: ${cid}.`)
  expect(await served()).toBe('damaged')

  // As the hourly job does.
  server.clock.advance(hour)
  await services().operation.backupProofs.proveDue()
  await renewSessions()
  expect(await served()).toBe(400)
  expect(await missing()).toEqual([{ cid, recordUri: uri, damaged: true }])
  const [acted] = await listBackups(dataDir)
  expect(acted?.proof).toMatchObject({ problem: proof.problem, missing: { cids: [cid] }, isActedOn: true })
  server.clock.advance(hour)
  expect(await services().operation.backupProofs.proveDue()).toEqual([])
  expect(await listBackups(dataDir)).toEqual([acted])
})

test('a damaged file is repaired from a good copy in the backups, and a damaged copy from a good file', async () => {
  await backUp()
  await flipAlone(live())
  await backUp()
  expect(await served()).toBe('good')
  expect(await missing()).toEqual([])

  await flipAlone(kept())
  const backup = await backUp()
  expect(backup?.proof).toMatchObject({ problem: undefined, missing: undefined })
  expect((await readFile(kept())).equals(image)).toBe(true)
})

test('a file that is missing is repaired from the backups when it is read', async () => {
  await backUp()
  await rm(live())
  expect(await served()).toBe('good')
})

test('a file that is missing without a backup counts as missing once it was read, until it is back', async () => {
  await rm(live())
  expect(await served()).toBe(400)
  expect(await missing()).toEqual([{ cid, recordUri: uri, damaged: true }])
  await mkdir(dirname(live()), { recursive: true })
  await writeFile(live(), image)
  await services().repository.blobs.sweep()
  expect(await served()).toBe('good')
  expect(await missing()).toEqual([])
})

test('the mark of a blob goes with its last row', async () => {
  await rm(live())
  expect(await served()).toBe(400)
  const { store, background } = services()
  expect(store.all('SELECT cid FROM damaged_blobs')).toHaveLength(1)
  const [repo, collection, rkey] = uri.slice('at://'.length).split('/')
  await server.post('com.core.repo.deleteRecord', { repo, collection, rkey }, alice)
  await background.idle()
  expect(store.all('SELECT cid FROM damaged_blobs')).toEqual([])
})

test('another account that uploads the same file repairs it for both', async () => {
  const bob = await server.account('bob')
  await rm(live())
  expect(await served()).toBe(400)
  await blobOf(server, bob, image)
  expect(await served()).toBe('good')
})

test('a damaged blob cannot be named by a further account without an upload', async () => {
  const bob = await server.account('bob')
  const avatar = await blobOf(server, bob, image)
  await rm(live())
  expect(await served()).toBe(400)
  const record = { $type: 'app.example.actor.profile', avatar }
  const input = { repo: bob.did, collection: 'app.example.actor.profile', rkey: 'self', record }
  expect(await server.post('com.core.repo.putRecord', input, bob)).toMatchObject(refusal(400, 'BlobNotFound'))
})
