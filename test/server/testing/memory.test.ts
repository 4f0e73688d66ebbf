/** A server whose data are in memory only. */
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { createPasswordHasher } from '../../../server/identity/auth/passwords.ts'
import { periodicJobs } from '../../../server/operation/jobs/jobs.ts'
import { makeBackup } from '../../../server/operation/replicas/local/backups.ts'
import { type Files, nodeFiles, sha256Of } from '../../../server/store/files/files.ts'
import { createMemoryFiles, type MemoryFiles } from '../../../server/testing/disk/memory-files.ts'
import { type DidHost, startDidHost } from '../../support/accounts/did-host.ts'
import { importRepo, movingAccount } from '../../support/accounts/moving-account.ts'
import { archiveOf } from '../../support/records/archive.ts'
import { blobOf, download } from '../../support/records/blobs.ts'
import { noise } from '../../support/records/pictures.ts'
import { TestClock } from '../../support/server/clock.ts'
import { type Account, TestServer } from '../../support/server/server.ts'

const film = await readFile(join(import.meta.dirname, '../../support/records/video.mp4'))
const photo = noise(400, 300)

/** Goes on when a snapshot is restored. */
const clock = new TestClock()

let temporary: string
let dataDir: string
let host: DidHost
let server: TestServer
let files: MemoryFiles
/** Paths of the data folder that were used on the real disk. */
let used: string[]

beforeAll(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'pds-memory-'))
  dataDir = join(temporary, 'none')
  vi.stubEnv('TMPDIR', temporary)
  host = await startDidHost()
  used = []
  for (const name of Object.keys(nodeFiles) as Exclude<keyof Files, 'isForTests'>[]) {
    const call = nodeFiles[name] as (...args: unknown[]) => unknown
    vi.spyOn(nodeFiles, name).mockImplementation(((...args: unknown[]) => {
      if (args.some((arg) => String(arg).startsWith(dataDir))) used.push(`${name} ${args[0]}`)
      return call(...args)
    }) as never)
  }
})
afterEach(() => server.close())
afterAll(async () => {
  await host.close()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  await rm(temporary, { recursive: true })
})

const config = () => ({ dataDir, allowPrivateTargets: true, adminPassword: undefined })

async function start(from?: ReturnType<MemoryFiles['snapshot']>, inlineJobs = false): Promise<TestServer> {
  files = createMemoryFiles({ now: clock.now, from })
  const passwords = createPasswordHasher({ cost: 4, isInline: true })
  server = await TestServer.start(config(), files, {
    ...{ now: clock.now, inlineJobs },
    ...(inlineJobs && { passwords }),
  })
  return server
}

/** Posts a picture and a video. Returns their CIDs and the playlist of the video. */
async function post(alice: Account) {
  const [image, video] = [await blobOf(server, alice, photo), await blobOf(server, alice, film, 'video/mp4')]
  const collection = 'app.example.feed.post'
  const embeds = [
    { $type: 'app.example.embed.images', images: [{ image, alt: '' }] },
    { $type: 'app.example.embed.video', video },
  ]
  const uris: string[] = []
  for (const embed of embeds) {
    const record = { $type: collection, text: 'hello', embed, createdAt: new Date().toISOString() }
    const input = { repo: alice.did, collection, record }
    const { status, body } = await server.post('com.core.repo.createRecord', input, alice)
    expect(status, JSON.stringify(body)).toBe(200)
    uris.push(body.uri)
  }
  const { body } = await server.get('app.example.feed.getPosts', { uris }, alice)
  return { cid: image.ref.$link, playlist: new URL(body.posts[1].embed.playlist).pathname }
}

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())

async function expectMedia(alice: Account, { cid, playlist }: Awaited<ReturnType<typeof post>>) {
  expect((await bytesOf(await download(server, alice.did, cid))).equals(photo)).toBe(true)
  const thumbnail = await download(server, alice.did, `${cid}&preset=feed_thumbnail`)
  expect([thumbnail.status, thumbnail.headers.get('content-type')]).toEqual([200, 'image/webp'])
  const list = await fetch(server.url + playlist)
  expect(await list.text()).toContain('#EXT-X-ENDLIST')
  const fragments = await fetch(server.url + playlist.replace('playlist.m3u8', 'video.m4s'))
  expect((await bytesOf(fragments)).length).toBeGreaterThan(film.length / 2)
}

async function archiveOfAccount({ did }: Account): Promise<string> {
  const response = await fetch(`${server.url}/xrpc/com.core.sync.getRepo?did=${did}`)
  expect(response.status).toBe(200)
  return sha256Of([await bytesOf(response)])
}

async function expectNothingOnDisk(): Promise<void> {
  await server.close()
  expect(used).toEqual([])
  expect(existsSync(dataDir)).toBe(false)
  expect(await readdir(temporary)).toEqual([])
}

test.each([false, true])(
  'media, mail, import, export and backup need no disk; inline jobs: %s',
  async (inline) => {
    await start(undefined, inline)
    const alice = await server.account('alice')
    expect((await server.signIn(alice)).status).toBe(200)
    await server.confirmEmail(alice)
    const media = await post(alice)
    await expectMedia(alice, media)

    const carlo = await movingAccount(server, host, 'carlo')
    const records: [string, Record<string, string>][] = [['com.example.note/one', { text: 'one' }]]
    const imported = await importRepo(server, carlo, archiveOf({ did: host.did, records }))
    expect(imported.status, JSON.stringify(imported.body)).toBe(200)

    const { services } = server.running
    const { now } = server.clock
    const made = await makeBackup({ dataDir, files, now, store: services.store })
    expect(made.proof).toBeUndefined()
    expect(await services.operation.backupProofs.prove(made)).toMatchObject({ problem: undefined })
    expect(await services.operation.backupProofs.proveDue()).toEqual([])
    expect(await services.store.export(join(dataDir, 'one-file'))).toBeGreaterThan(photo.length)
    for (const { run } of periodicJobs(services)) await run()
    const archive = await archiveOfAccount(alice)

    await server.restart()
    expect(await archiveOfAccount(alice)).toBe(archive)
    await expectMedia(alice, media)
    await expectNothingOnDisk()
  },
)

test('a server goes on from a snapshot, as often as it is restored', async () => {
  await start()
  const alice = await server.account('alice')
  const media = await post(alice)
  const { services } = server.running
  await services.background.idle()
  await services.store.checkpoint()
  const snapshot = files.snapshot()
  const archive = await archiveOfAccount(alice)
  for (const round of [1, 2]) {
    await post(alice)
    expect(await archiveOfAccount(alice)).not.toBe(archive)
    await server.close()
    await start(snapshot)
    expect(await archiveOfAccount(alice), String(round)).toBe(archive)
    await expectMedia(alice, media)
  }
  await expectNothingOnDisk()
})

test('a password of the administrator is made for each disk, and kept', async () => {
  await start()
  const password = Buffer.from(await files.read(join(dataDir, 'admin-password')))
    .toString()
    .trim()
  const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`
  await server.restart()
  expect((await server.post('com.core.server.createInviteCode', { useCount: 1 }, authorization)).status).toBe(
    200,
  )
  await expectNothingOnDisk()
})
