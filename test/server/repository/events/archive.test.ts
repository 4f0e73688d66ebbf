/** Older events of the stream are in files: replay from them, lost files, deleted accounts, retention, restores, a full disk. */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { restore } from '../../../../server/platform/store/backups/restore.ts'
import { type Files, nodeFiles } from '../../../../server/platform/store/files.ts'
import { schema } from '../../../../server/platform/store/schema.ts'
import * as removals from '../../../../server/platform/store/tables/event-removals.ts'
import * as segments from '../../../../server/platform/store/tables/event-segments.ts'
import * as events from '../../../../server/platform/store/tables/events.ts'
import { ServerProcess } from '../../../crash/process.ts'
import { lowArchiveLimits } from '../../../support/archive-limits.ts'
import { day, hour } from '../../../support/clock.ts'
import { type Frame, type Listener, listening } from '../../../support/listener.ts'
import { ownerOnly } from '../../../support/modes.ts'
import { type Account, adminAuth, TestServer } from '../../../support/server.ts'

let server: TestServer

afterEach(() => server.close())

/** Calls a hook before a file of the archive is created. */
function filesWith(beforeCreate: () => void): Files {
  return {
    ...nodeFiles,
    async create(path, options) {
      if (basename(dirname(path)) === 'events') beforeCreate()
      return nodeFiles.create(path, options)
    },
  }
}

async function start(overrides: Parameters<typeof TestServer.start>[0] = {}, files?: Files): Promise<void> {
  server = await TestServer.start({ logLevel: 'warn', ...overrides }, files, {
    archiveLimits: lowArchiveLimits,
  })
}

const store = () => server.running.services.store
const state = () => events.state(store())
const stored = () => segments.all(store())
const idle = () => server.running.services.background.idle()
const folder = () => join(server.config.dataDir, 'events')
const fileNames = async (dataDir = server.config.dataDir) =>
  (await readdir(join(dataDir, 'events')).catch(() => [])).toSorted()

async function fileText(): Promise<string> {
  const names = await fileNames()
  return (await Promise.all(names.map((name) => readFile(join(folder(), name), 'latin1')))).join()
}

/** Expects that each file has a row and each row a file. */
async function expectNoLeftovers(): Promise<void> {
  expect(await fileNames()).toEqual(
    stored()
      .map(({ name }) => name)
      .toSorted(),
  )
}

/** Writes records, whose events have about 3 kB each. */
async function write(account: Account, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const record = { text: `by ${account.handle} `.padEnd(2500, 'x') }
    const input = { repo: account.did, collection: 'org.example.thing', record }
    expect((await server.post('com.core.repo.createRecord', input, account)).status).toBe(200)
    // The archive keeps up, also on a slow disk.
    if (n % 5 === 4) await idle()
  }
  await idle()
}

const signIn = async (account: Account): Promise<Account> => ({
  ...account,
  ...(await server.signIn(account)).body,
})

const connect = (cursor?: number) =>
  listening(
    `${server.url}/xrpc/com.core.sync.subscribeRepos${cursor === undefined ? '' : `?cursor=${cursor}`}`,
  )

/** Reads frames up to a number. */
async function until(stream: Listener, seq: number): Promise<Frame[]> {
  const frames: Frame[] = []
  while (frames.at(-1)?.payload.seq !== seq) frames.push(await stream.next())
  return frames
}

/** Reads all events after a cursor, with the message for outdated cursors. */
async function replay(cursor = 0): Promise<Frame[]> {
  const stream = await connect(cursor)
  const frames = await until(stream, state().lastSeq)
  stream.close()
  return frames
}

const seqs = (frames: readonly Frame[]) => frames.map(({ payload }) => payload.seq)
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n)

test('a replay of archived events is what a live consumer saw, also after a restart', async () => {
  await start()
  const live = await connect(0)
  const alice = await server.account('alice')
  await write(alice, 60)
  const seen = await until(live, state().lastSeq)
  live.close()
  expect(seqs(seen)).toEqual(range(1, state().lastSeq))
  expect(stored().length).toBeGreaterThan(10)
  expect(state().bytes - state().archivedBytes).toBeLessThan(lowArchiveLimits.startBytes)
  await expectNoLeftovers()
  expect(await replay()).toEqual(seen)
  for (const cursor of [
    1,
    stored()[3]?.lastSeq ?? 0,
    (stored()[3]?.lastSeq ?? 0) + 1,
    stored().at(-1)?.lastSeq ?? 0,
  ])
    expect(await replay(cursor)).toEqual(seen.slice(cursor))
  await server.restart()
  expect(await replay()).toEqual(seen)
  expect(server.logged).toEqual([])
})

test('what a consumer saw before a kill is what a replay sends after it', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'pds-test-'))
  const killed = new ServerProcess(dataDir)
  const url = await killed.serving()
  const call = async (nsid: string, input: unknown, token = '') => {
    const answer = await fetch(`${url}/xrpc/${nsid}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(input),
    })
    return (await answer.json()) as Record<string, string>
  }
  const account = { handle: 'alice.test', password: 'alice-password' }
  const { did, accessJwt } = await call('com.core.server.createAccount', account)
  const live = await listening(`${url}/xrpc/com.core.sync.subscribeRepos?cursor=0`)
  const seen: Frame[] = []
  const input = { repo: did, collection: 'org.example.thing', record: { text: 'x'.repeat(2500) } }
  const post = () => call('com.core.repo.createRecord', input, accessJwt)
  // Until some are archived, and the archive is at work.
  while ((await fileNames(dataDir)).length < 5) {
    await Promise.all([post(), post(), post(), post()])
    seen.push(...(await until(live, (seen.at(-1)?.payload.seq ?? 3) + 4)))
  }
  await killed.kill()
  server = await TestServer.start({ dataDir, logLevel: 'warn' }, undefined, {
    archiveLimits: lowArchiveLimits,
    // As the process: otherwise its events are old.
    now: () => new Date(),
  })
  await idle()
  const frames = await replay()
  expect(frames.slice(0, seen.length)).toEqual(seen)
  expect(seqs(frames)).toEqual(range(1, state().lastSeq))
  await expectNoLeftovers()
  expect(server.logged).toEqual([])
})

test('only the owner can read the files', async () => {
  await start()
  await write(await server.account('alice'), 20)
  const names = await fileNames()
  expect(names.length).toBeGreaterThan(2)
  for (const name of names) expect((await stat(join(folder(), name))).mode & 0o777).toBe(ownerOnly)
})

test('consumers that replay while events are archived get each one once, in order', async () => {
  await start()
  const alice = await server.account('alice')
  await write(alice, 30)
  const streams = await Promise.all([0, 5, 20].map(connect))
  const before = stored().length
  const writing = write(alice, 67)
  const read = await Promise.all(streams.map((stream) => until(stream, 100)))
  await writing
  expect(read.map(seqs)).toEqual([range(1, 100), range(6, 100), range(21, 100)])
  expect(stored().length).toBeGreaterThan(before + 5)
  for (const stream of streams) stream.close()
})

test('events of a missing and of a damaged file are outdated; a replay continues with the next event', async () => {
  await start()
  await write(await server.account('alice'), 60)
  const [, missing, , damaged] = stored()
  if (!missing || !damaged) throw new Error('too few segments')
  await rm(join(folder(), missing.name))
  const path = join(folder(), damaged.name)
  const content = await readFile(path)
  content.writeUInt8(content.readUInt8(5000) ^ 1, 5000)
  await writeFile(path, content)
  const lost = [missing, damaged].flatMap(({ firstSeq, lastSeq }) => range(firstSeq, lastSeq))
  const left = range(1, state().lastSeq).filter((seq) => !lost.includes(seq))
  expect(seqs(await replay())).toEqual(left)
  expect(server.logged).toHaveLength(2)
  expect(server.logged[0]).toContain(missing.name)
  expect(server.logged[1]).toContain(damaged.name)
  const [info, ...rest] = await replay()
  expect(info).toMatchObject({ header: { t: '#info' }, payload: { name: 'OutdatedCursor' } })
  expect(seqs(rest)).toEqual(left)
  expect(seqs(await replay(damaged.lastSeq))[0]).toBe(damaged.lastSeq + 1)
  await expectNoLeftovers()
})

test('without the folder of the archive, replays begin with the table', async () => {
  await start()
  await write(await server.account('alice'), 40)
  const { lastSeq } = stored().at(-1) ?? { lastSeq: 0 }
  await server.running.close()
  await rm(folder(), { recursive: true })
  await server.open()
  await idle()
  const [info, ...rest] = await replay()
  expect(info?.header.t).toBe('#info')
  expect(seqs(rest)).toEqual(range(lastSeq + 1, state().lastSeq))
  expect(state().archivedBytes).toBe(0)
})

test('a deleted account leaves no events in the files, also if the deletion is interrupted', async () => {
  let isBlocked = false
  await start(
    {},
    filesWith(() => {
      if (isBlocked) throw Object.assign(new Error('full'), { code: 'ENOSPC' })
    }),
  )
  const [alice, bob] = [await server.account('alice'), await server.account('bob')]
  for (let round = 0; round < 4; round++) for (const account of [alice, bob]) await write(account, 6)
  expect(await fileText()).toContain(bob.did)
  isBlocked = true
  const all = await replay()
  await server.post('com.core.admin.deleteAccount', { did: bob.did }, adminAuth)
  await idle()
  const isOfBob = ({ payload }: Frame) => [payload.repo, payload.did].includes(bob.did)
  const expected = all.filter((frame) => !isOfBob(frame))
  const deletion = { header: { t: '#account' }, payload: { did: bob.did, status: 'deleted' } }
  const check = async () => {
    const frames = await replay()
    expect(frames.slice(0, -1)).toEqual(expected)
    expect(frames.at(-1)).toMatchObject(deletion)
  }
  await check()
  expect(await fileText()).toContain(bob.did)
  expect(removals.all(store()).size).toBe(1)

  isBlocked = false
  await server.restart()
  await idle()
  await check()
  const text = await fileText()
  expect(text).not.toContain(bob.did)
  expect(text).not.toContain('by bob.test')
  expect(text).toContain('by alice.test')
  expect(removals.all(store()).size).toBe(0)
  await expectNoLeftovers()
})

test('the limit counts events in files; the oldest files are deleted first', async () => {
  await start({ eventLimit: 100_000 })
  await write(await server.account('alice'), 80)
  const { bytes, outdatedSeq, lastSeq } = state()
  expect(bytes).toBeLessThan(100_000)
  expect(bytes).toBeGreaterThan(60_000)
  expect(stored()[0]?.firstSeq).toBe(outdatedSeq + 1)
  await expectNoLeftovers()
  const [info, ...rest] = await replay()
  expect(info?.header.t).toBe('#info')
  expect(seqs(rest)).toEqual(range(outdatedSeq + 1, lastSeq))
})

test('a file is deleted when its newest event is too old', async () => {
  await start()
  const alice = await server.account('alice')
  await write(alice, 30)
  const { lastSeq } = state()
  server.clock.advance(2 * day)
  await write(await signIn(alice), 30)
  server.clock.advance(day + hour)
  await server.restart()
  await idle()
  expect(state().outdatedSeq).toBeGreaterThan(lastSeq - 6)
  expect(state().outdatedSeq).toBeLessThanOrEqual(lastSeq)
  expect(stored().length).toBeGreaterThan(2)
  await expectNoLeftovers()
  expect(seqs(await replay(state().outdatedSeq))).toEqual(range(state().outdatedSeq + 1, state().lastSeq))
})

test('after a restore the archived events are outdated, and their files are deleted', async () => {
  await start()
  const alice = await server.account('alice')
  await write(alice, 40)
  const { lastSeq } = stored().at(-1) ?? { lastSeq: 0 }
  const end = state().lastSeq
  const { file } = await store().backup()
  // Their files are newer than the backup.
  await write(alice, 20)
  await server.running.close()
  await restore({
    directory: server.config.dataDir,
    file,
    schema,
    now: server.clock.now,
  })
  await server.open()
  await idle()
  // The events in the table then may be archived again.
  expect(stored().every(({ firstSeq }) => firstSeq > lastSeq)).toBe(true)
  await expectNoLeftovers()
  const [info, ...rest] = await replay()
  expect(info).toMatchObject({ header: { t: '#info' }, payload: { name: 'OutdatedCursor' } })
  const first = 1_000_001 + end
  expect(seqs(rest)).toEqual([...range(lastSeq + 1, end), ...range(first, state().lastSeq)])
  await write(await signIn(alice), 20)
  expect(stored().length).toBeGreaterThan(0)
  expect(seqs(await replay(lastSeq))).toEqual([...range(lastSeq + 1, end), ...range(first, state().lastSeq)])
})

test('without room for the archive, writes and replays go on; the failure is logged once', async () => {
  let isFull = true
  let attempts = 0
  await start(
    {},
    filesWith(() => {
      attempts++
      if (isFull) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
    }),
  )
  await write(await server.account('alice'), 40)
  expect(seqs(await replay())).toEqual(range(1, state().lastSeq))
  expect(stored()).toEqual([])
  // Further attempts are left to the job that runs each minute.
  expect(attempts).toBe(1)
  await server.running.services.repository.eventArchive.run()
  expect(attempts).toBe(2)
  expect(server.logged).toHaveLength(1)
  expect(server.logged[0]).toContain('archiving of events failed')
  isFull = false
  await server.running.services.repository.eventArchive.run()
  expect(stored().length).toBeGreaterThan(5)
  expect(seqs(await replay())).toEqual(range(1, state().lastSeq))
})

test('closing waits for one file at most, and the next start archives the rest', async () => {
  let closing: Promise<void> | undefined
  let isFull = true
  let created = 0
  await start(
    {},
    filesWith(() => {
      if (isFull) throw new Error('no space left')
      created++
      closing ??= server.running.close()
    }),
  )
  await write(await server.account('alice'), 40)
  isFull = false
  await server.running.services.repository.eventArchive.run()
  await closing
  expect(created).toBe(1)
  expect(await fileNames()).toHaveLength(1)
  await server.open()
  await idle()
  expect(stored().length).toBeGreaterThan(5)
  expect(seqs(await replay())).toEqual(range(1, state().lastSeq))
  await expectNoLeftovers()
})
