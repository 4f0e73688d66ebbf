/** Proofs, repairs and clean-ups of a copy in a folder. */
import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bringBack } from '../../../../server/operation/replicas/bring-back.ts'
import { credentialsFile, loadCredentials } from '../../../../server/operation/replicas/credentials.ts'
import { folderPlace } from '../../../../server/operation/replicas/places/folder.ts'
import { sealedBytes } from '../../../../server/operation/replicas/replica-key.ts'
import { currentStatus } from '../../../../server/operation/replicas/replica-status.ts'
import { readPoints } from '../../../../server/operation/replicas/restore-points.ts'
import { createSealer } from '../../../../server/operation/replicas/sealer.ts'
import { nodeFiles } from '../../../../server/store/files/files.ts'
import { blobOf, png } from '../../../support/records/blobs.ts'
import { day, hour, minute, second } from '../../../support/server/clock.ts'
import { adminAuth, TestServer } from '../../../support/server/server.ts'
import { owner as alice, renewSessions, server, setupServer } from '../../../support/server/setup.ts'

let root: string
let place: string
const url = () => pathToFileURL(place).href
const copies = () => server.running.services.operation.copies

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'pds-prove-'))
})
beforeEach(async () => {
  texts.length = 0
})
afterAll(() => rm(root, { recursive: true }))
setupServer({
  per: 'test',
  accounts: ['alice'],
  config: () => {
    place = join(root, `place-${Math.random()}`)
    return { copies: [url()] }
  },
})
beforeEach(async () => {
  await mkdir(place)
  copies().wake()
  await write('one')
  const image = await blobOf(server, alice, png('kept', 5000))
  await write('two', { image })
})

/** Everything that was written. */
const texts: string[] = []

/** Lets time pass. */
async function elapse(ms: number): Promise<void> {
  await server.elapse(ms)
  await renewSessions()
}

/** Cleans up twice: what one clean-up finds is removed by the next. */
async function compact(): Promise<void> {
  await copies().compact()
  await copies().compact()
}

/** Writes a record, and waits for its copy. */
async function write(text: string, more: object = {}): Promise<void> {
  const input = { repo: alice.did, collection: 'org.example.thing', record: { text, ...more } }
  expect((await server.post('com.core.repo.createRecord', input, alice)).status).toBe(200)
  texts.unshift(text)
  await copies().flush(20_000)
}

async function objects(pattern: RegExp): Promise<string[]> {
  const names = await readdir(place, { recursive: true })
  return names
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => pattern.test(name))
    .toSorted()
}

/** The path of the only or last object of a kind. */
async function object(pattern: RegExp): Promise<string> {
  return join(place, (await objects(pattern)).at(-1) as string)
}

async function flipByte(path: string): Promise<void> {
  const bytes = await readFile(path)
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
  await writeFile(path, bytes)
}

/** Restores the copy at a moment, and returns the texts of its records. */
async function restored(at?: Date): Promise<string[]> {
  const { replicaKey } = await loadCredentials(credentialsFile(server.config.dataDir), server.config.dataDir)
  const sealer = createSealer(replicaKey)
  const dataDir = join(root, `restored-${Math.random()}`)
  const target = { place: folderPlace(fileURLToPath(url())), sealer }
  const result = await bringBack({ target, dataDir, at, now: server.clock.now })
  await sealer.end()
  expect(result.missing).toEqual([])
  const there = await TestServer.start({ dataDir })
  const query = { repo: alice.did, collection: 'org.example.thing' }
  const { body } = await there.get('com.core.repo.listRecords', query)
  await there.close()
  return body.records.map(({ value }: { value: { text: string } }) => value.text)
}

/** Lists the restore points of the place. */
async function points(): Promise<readonly Date[]> {
  return (await readPoints({ place: folderPlace(place), sealer: { sealedBytes } })).points
}

const base = /bases\/.*\/00001-\d+$/
const segment = /segments\/\d/
const media = /^media\/./

test('a proof is recorded, shown by the command, due again after a week, and leaves nothing else', async () => {
  const proof = await copies().prove(url())
  expect(proof).toEqual({
    checkedAt: expect.any(String),
    provenAt: proof.checkedAt,
    mediaAt: proof.checkedAt,
    problem: undefined,
  })
  const { body } = await server.get('com.core.admin.getCopies', {}, adminAuth)
  expect(body.places[0]).toMatchObject({ lastProvenAt: proof.provenAt, paused: false })
  await server.restart()
  expect(copies().status()[0]?.proof).toMatchObject({ provenAt: proof.checkedAt })
  await copies().flush(20_000)
  await copies().close(0)
  const [status] = await currentStatus(nodeFiles, server.config.dataDir)
  expect(status).toMatchObject({ lastProvenAt: proof.checkedAt, error: null })
  expect(
    (await readdir(join(server.config.dataDir, 'copies'))).filter((name) => name.includes('proof')),
  ).toEqual([expect.stringMatching(/^[0-9a-f]{12}\.proof\.json$/)])
})

test('proofs are due a week after the last one, with all media once a month', async () => {
  await copies().proveDue()
  const first = copies().status()[0]?.proof
  expect(first?.problem).toBeUndefined()
  await server.elapse(6 * day)
  await copies().proveDue()
  expect(copies().status()[0]?.proof).toEqual(first)
  await server.elapse(day)
  await copies().proveDue()
  const second = copies().status()[0]?.proof
  expect(second?.provenAt).not.toBe(first?.provenAt)
  expect(second?.mediaAt).toBe(first?.mediaAt)
  await server.elapse(23 * day)
  await copies().proveDue()
  const third = copies().status()[0]?.proof
  expect([third?.problem, third?.mediaAt]).toEqual([undefined, third?.provenAt])
  expect(third?.mediaAt).not.toBe(first?.mediaAt)
})

describe('damage at the place is found by a proof and repaired', () => {
  const faults: [string, RegExp, (path: string) => Promise<void>][] = [
    ['a changed part of the base', base, flipByte],
    ['a deleted part of the base', base, (path) => rm(path)],
    ['a cut part of the base', base, (path) => truncate(path, 100)],
    ['a deleted base', /bases\/[^/]+$/, (path) => rm(path, { recursive: true })],
    ['a changed segment', segment, flipByte],
    ['a deleted segment', segment, (path) => rm(path)],
    ['a cut segment', segment, (path) => truncate(path, 100)],
    ['a changed media file', media, flipByte],
    ['a deleted media file', media, (path) => rm(path)],
    ['a cut media file', media, (path) => truncate(path, 100)],
  ]
  test.each(faults)('%s', async (_, pattern, damage) => {
    if (pattern === media) pattern = /^media\/.\/.+/
    await damage(await object(pattern))
    expect(await copies().prove(url())).toMatchObject({ problem: undefined, provenAt: expect.any(String) })
    expect(await restored()).toEqual(texts)
  })
})

describe('a proof removes nothing that the place has', () => {
  test('a media file that is read wrongly once, and is lost here, stays there', async () => {
    const blobs = join(server.config.dataDir, 'blobs')
    await rm(blobs, { recursive: true })
    await mkdir(blobs)
    const path = await object(/^media\/.\/.+/)
    const intact = await readFile(path)
    await flipByte(path)
    expect((await copies().prove(url())).problem).toContain('media files that this computer lacks, too')
    expect((await readFile(path)).length).toBe(intact.length)
    await writeFile(path, intact)
    expect(await copies().prove(url())).toMatchObject({ problem: undefined })
  })

  test('a damaged base stays until it is no longer kept', async () => {
    const path = await object(base)
    const end = await object(/bases\/.*\/end$/)
    await flipByte(path)
    expect(await copies().prove(url())).toMatchObject({ problem: undefined })
    expect(await readFile(end)).toBeDefined()
    expect((await objects(/bases\/[^/]+$/)).length).toBe(2)
  })
})

test('a damaged repository here is a copy that cannot be restored, and says so', async () => {
  const { store } = server.running.services
  await store.transact((tx) => tx.run('UPDATE repo_blocks SET bytes = zeroblob(5)'))
  await copies().flush(20_000)
  const { problem, provenAt } = await copies().prove(url())
  expect(problem).toContain('The repository of alice.test is damaged')
  expect(provenAt).toBeUndefined()
})

test('what was deleted at the place is sent again when the place is read again, without a proof', async () => {
  await rm(await object(segment))
  server.clock.advance(5 * minute)
  await write('three')
  expect(await restored()).toEqual(texts)
  await rm(await object(/bases\/[^/]+$/), { recursive: true })
  server.clock.advance(5 * minute)
  await write('four')
  expect(await restored()).toEqual(texts)
})

test('older segments are joined, and each minute and day can still be restored', async () => {
  const at: Date[] = []
  for (let n = 0; n < 6; n++) {
    await write(`note ${n}`)
    at.push(server.clock.now())
    await elapse(20 * second)
  }
  const before = await objects(segment)
  await elapse(2 * hour)
  await write('two hours later')
  const isIntermediate = (name: string) => !before.includes(name)
  await compact()
  const minutes = await objects(segment)
  expect(minutes.length).toBeLessThan(before.length)
  expect(minutes.some(isIntermediate)).toBe(true)
  expect(await restored()).toEqual(texts)
  const early = await restored(new Date((at[3] as Date).getTime() + minute))
  expect(early).toContain('note 3')
  expect(early).not.toContain('two hours later')

  await elapse(2 * day)
  await write('days later')
  await compact()
  expect((await objects(segment)).length).toBeLessThan(minutes.length)
  expect(await restored()).toEqual(texts)
  expect((await points()).length).toBeGreaterThan(1)
  expect((await copies().prove(url())).problem).toBeUndefined()
})

test('after months, weekly bases are left, and the newest copy is whole', async () => {
  for (let week = 0; week < 20; week++) {
    await write(`week ${week}`)
    await compact()
    await elapse(7 * day)
  }
  await write('last')
  await compact()
  expect((await objects(/bases\/[^/]+$/)).length).toBeLessThanOrEqual(14)
  expect((await objects(segment)).length).toBeLessThanOrEqual(16)
  expect(await restored()).toEqual(texts)
  const [newest] = await points()
  expect(newest).toBeDefined()
})

test('the sizes of sealed objects are known', async () => {
  const { replicaKey } = await loadCredentials(credentialsFile(server.config.dataDir), server.config.dataDir)
  for (const bytes of [0, 1, 65_504, 65_505, 8 * 1024 * 1024]) {
    expect((await replicaKey.seal('name', Buffer.alloc(bytes))).length).toBe(sealedBytes(bytes))
  }
})
