/**
 * `node test/crash/kills.ts [MINUTES] [SEED]`: kills a server under load again and again: uploads, records, sign-ups, imports, deletions,
 * backups by it and by this process, and a consumer of the event stream. After each kill all pages are compared with their checksums and
 * the acknowledged writes that it may have changed are compared; now and then, and at the end, all of them.
 */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { setup } from '../../build/test-servers.ts'
import { makeBackup } from '../../server/operation/replicas/local/backups.ts'
import { type Backup, listBackups } from '../../server/operation/replicas/local/list.ts'
import { checkBackup } from '../../server/store/backups/read-backup.ts'
import { nodeFiles } from '../../server/store/files/files.ts'
import { backupsName, checkpointName, importsName } from '../../server/store/files/layout.ts'
import { type Loaded, load } from '../../server/store/journal/recover.ts'
import { allPages, closeFile, isSound } from '../../server/store/pages/database-file.ts'
import { sourceOf } from '../support/replicas/local-backups.ts'
import { type Listener, listening } from '../support/server/listener.ts'
import { LoadClient } from './load-client.ts'
import { ServerProcess } from './process.ts'
import { seededRandom } from './random.ts'

const minutes = Number(process.argv[2] ?? 60)
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000)
const random = seededRandom(seed)

await setup()
const dir = await mkdtemp(join(tmpdir(), 'pds-kills-'))
const scratch = await mkdtemp(join(tmpdir(), 'pds-kills-scratch-'))
const clients = Array.from({ length: 3 }, (_, i) => new LoadClient(`client-${i}`, random, dir))
const operations = () => sum(clients.map(({ operationCount }) => operationCount))

/** How often each commit, and each deletion of an account, was in the event stream. */
const seen = new Map<string, number>()
let lastEvent = 0
let pages = 0
const kills = { underLoad: 0, duringStart: 0 }
/** Of the kills under load. */
const during = { checkpoint: 0, placement: 0, import: 0, backup: 0 }
const backups = { byServer: 0, byOthers: 0, checked: 0, withoutBlobs: 0 }
let otherBackup: Promise<void> | undefined

/** The moments of the kills, in turns. */
const moments = [
  anyMoment,
  () => momentOf(isCheckpointing, 10),
  anyMoment,
  () => momentOf(isImporting, 60),
  () => momentOf(isCheckpointing, 10),
  () => momentOf(isImporting, 150),
  () => momentOf(isBackingUp, 60),
]

print(`seed ${seed}, ${minutes} minutes, ${dir}`)
const end = Date.now() + minutes * 60_000
for (let turn = 0; Date.now() < end; turn++) {
  const server = await start()
  if (turn === 0) await Promise.all(clients.map((client) => client.signUp()))
  await Promise.all(clients.map((client) => client.verify(turn % 100 === 99 ? 'all' : 'touched')))
  const consumer = await connect(server.url)
  const reading = read(consumer)
  if (turn % 10 === 3) otherBackup ??= backUp()
  if (turn % 7 === 6 || turn % 5 === 0) server.process.backUp()
  const load = Promise.all(clients.map((client) => client.writeUntilKilled()))
  await Promise.race([load, moments[turn % moments.length]?.()])
  await server.process.kill()
  await Promise.all([load, reading])
  assert.equal(server.process.stderr, '')
  kills.underLoad++
  if (server.process.stdout.includes('made a backup')) backups.byServer++
  await countMoment()
  pages += await verifyPages(turn % 10 === 0)
  if (turn % 50 === 49) await checkBackups()
  if (turn % 20 === 19) print(progress())
  if (turn % 2 === 1) await killDuringStart()
}

const server = await start()
for (const client of clients) await client.verify('all')
const consumer = await connect(server.url)
const reading = read(consumer)
const expected = clients.flatMap(({ commits, guests }) => [...commits, ...(guests?.deleted ?? [])])
const missing = () => expected.filter((cid) => !seen.has(cid))
for (const until = Date.now() + 20_000; missing().length > 0 && Date.now() < until; ) await setTimeout(50)
await server.process.kill()
await reading
await otherBackup
assert.deepEqual(missing(), [])
assert.deepEqual(
  [...seen].filter(([, count]) => count > 1),
  [],
)
await checkBackups()
pages += await verifyPages(true, expectNothingLeft)
print(progress())
print(`nothing lost: ${expected.length} commits and deletions, each once in the event stream`)
await rm(dir, { recursive: true })
await rm(scratch, { recursive: true })

async function start(): Promise<{ process: ServerProcess; url: string }> {
  const process = new ServerProcess(dir)
  const url = await process.serving()
  assert.equal(process.stderr, '')
  assert.deepEqual(
    (await readdir(dir)).filter((name) => name.includes('damaged')),
    [],
  )
  for (const client of clients) client.url = url
  return { process, url }
}

/** After a random number of operations. */
async function anyMoment(): Promise<void> {
  const last = operations() + random(40)
  while (operations() < last) await setTimeout(1)
}

/** After a few operations, up to `within` milliseconds after the start of some work. */
async function momentOf(isRunning: () => Promise<boolean>, within: number): Promise<void> {
  const last = operations() + random(12)
  while (operations() < last) await setTimeout(1)
  const deadline = Date.now() + 3000
  while (!(await isRunning()) && Date.now() < deadline) await setTimeout(1)
  await setTimeout(random(within))
}

async function isCheckpointing(): Promise<boolean> {
  return (await readdir(dir)).some((name) => name.startsWith(checkpointName))
}

async function isImporting(): Promise<boolean> {
  return (await nodeFiles.list(join(dir, importsName))).length > 0
}

async function isBackingUp(): Promise<boolean> {
  return (await nodeFiles.list(join(dir, backupsName))).some((name) => name.startsWith('base-'))
}

async function killDuringStart(): Promise<void> {
  for (let times = 1 + random(2); times > 0; times--) {
    const starting = new ServerProcess(dir)
    await setTimeout(random(600))
    await starting.kill()
    assert.equal(starting.stderr, '')
    kills.duringStart++
    pages += await verifyPages(false)
  }
}

async function countMoment(): Promise<void> {
  const names = await readdir(dir)
  if (names.filter((name) => name.endsWith('.journal')).length > 1) during.checkpoint++
  if (names.includes(checkpointName)) during.placement++
  if (await isImporting()) during.import++
  if (await isBackingUp()) during.backup++
}

/**
 * Reads the data as the next start will, and compares each page with its checksum. Returns the number of pages.
 * @param thoroughly also by SQLite's integrity check
 */
async function verifyPages(thoroughly: boolean, use?: (loaded: Loaded) => void): Promise<number> {
  const loaded = await load(nodeFiles, dir)
  try {
    assert.equal(loaded.checkedBy, 'checksums')
    let count = 0
    for (const _ of allPages(loaded.file)) count++
    if (thoroughly) assert.ok(isSound(loaded.sqlite))
    use?.(loaded)
    return count
  } finally {
    await closeFile(loaded)
  }
}

/** Imports and deletions leave nothing behind, once the server has started after a kill. */
function expectNothingLeft({ sqlite }: Loaded): void {
  const count = (from: string) => sqlite.get<{ n: number }>(`SELECT count(*) AS n FROM ${from}`)?.n
  for (const table of ['imports', 'import_blocks', 'import_removals']) assert.equal(count(table), 0, table)
  assert.equal(count(`actors WHERE did LIKE 'import:%'`), 0)
  assert.equal(count(`accounts WHERE did LIKE 'deleting:%'`), 0)
  assert.equal(count('records WHERE actor NOT IN (SELECT id FROM accounts)'), 0)
}

/** Makes a backup as another process, beside the server and its kills. It has all events that were sent before. */
async function backUp(): Promise<void> {
  const before = lastEvent
  const made = await makeBackup({ dataDir: dir, now: () => new Date() })
  await check(made, ({ missingBlobs }, { sqlite }) => {
    const last = sqlite.get<{ seq: number }>('SELECT max(seq) AS seq FROM events')?.seq ?? 0
    assert.ok(last >= before, `the backup ends with event ${last}, before ${before}`)
    if (missingBlobs.length > 0) backups.withoutBlobs++
  })
  backups.byOthers++
  otherBackup = undefined
}

/** Restores each backup into a scratch folder. */
async function checkBackups(): Promise<void> {
  await otherBackup
  for (const backup of await listBackups(dir)) {
    await check(backup)
    backups.checked++
  }
}

async function check(backup: Backup, use?: Parameters<typeof checkBackup<void>>[3]): Promise<void> {
  const { file, ...source } = await sourceOf(dir, backup)
  await checkBackup(scratch, file, source, use)
}

async function connect(url: string): Promise<Listener> {
  return listening(`${url}/xrpc/com.core.sync.subscribeRepos?cursor=${lastEvent}`)
}

/** Reads events until the connection ends. */
async function read(consumer: Listener): Promise<void> {
  for (;;) {
    const frame = await consumer.next().catch(() => undefined)
    if (!frame) return
    const { header, payload } = frame
    assert.equal(header.op, 1, JSON.stringify(payload))
    assert.ok(payload.seq > lastEvent, `event ${payload.seq} after ${lastEvent}`)
    lastEvent = payload.seq
    const id = payload.commit ? String(payload.commit) : payload.status === 'deleted' && payload.did
    if (id) seen.set(id, (seen.get(id) ?? 0) + 1)
  }
}

function progress(): string {
  const guests = clients.flatMap((client) => client.guests?.counts ?? [])
  const total = (of: (counts: (typeof guests)[number]) => number) => sum(guests.map(of))
  return [
    `${kills.underLoad + kills.duringStart} kills, ${kills.duringStart} of them during a start`,
    `${during.checkpoint} during a checkpoint, ${during.placement} while pages were put in place, ${during.import} during imports, ${during.backup} during a backup`,
    `${operations()} operations, event ${lastEvent}, ${pages} pages verified`,
    `${total(({ imports }) => imports)} imports, ${total(({ resumedImports }) => resumedImports)} sent again after a kill`,
    `${total(({ deletions }) => deletions)} deletions, ${total((counts) => counts.unacknowledgedDeletions)} cut by a kill`,
    `${backups.byServer} backups by the server, ${backups.byOthers} beside it (${backups.withoutBlobs} without deleted blobs), ${backups.checked} checked`,
  ].join('; ')
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function print(line: string): void {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`)
}
