/**
 * `node test/crash/kills.ts [MINUTES] [SEED]`: kills a server under load again and again: uploads, records, deletions, sign-ups, and a
 * consumer of the event stream. After each kill all pages are verified and the acknowledged writes compared; at the end, all of them.
 */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { setup } from '../../build/test-servers.ts'
import { nodeFiles } from '../../server/platform/store/files.ts'
import { load } from '../../server/platform/store/journal/recover.ts'
import { checkpointName } from '../../server/platform/store/layout.ts'
import { allPages, closeFile, isSound } from '../../server/platform/store/pages/database-file.ts'
import { type Listener, listening } from '../support/listener.ts'
import { LoadClient } from './load-client.ts'
import { ServerProcess } from './process.ts'
import { seededRandom } from './random.ts'

const minutes = Number(process.argv[2] ?? 60)
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000)
const random = seededRandom(seed)

await setup()
const dir = await mkdtemp(join(tmpdir(), 'pds-kills-'))
const clients = Array.from({ length: 3 }, (_, i) => new LoadClient(`client-${i}`, random))
const operations = () => clients.reduce((sum, { operationCount }) => sum + operationCount, 0)

/** How often each commit was in the event stream. */
const seen = new Map<string, number>()
let lastEvent = 0
let kills = 0
let pages = 0
const files = { duringCheckpoint: 0, withCheckpointFile: 0 }

print(`seed ${seed}, ${minutes} minutes, ${dir}`)
const end = Date.now() + minutes * 60_000
while (Date.now() < end) {
  const server = await start()
  if (kills === 0) await Promise.all(clients.map((client) => client.signUp()))
  await Promise.all(clients.map((client) => client.verify(kills % 50 === 49 ? 'all' : 'touched')))
  const consumer = await connect(server.url)
  const reading = read(consumer)
  const load = Promise.all(clients.map((client) => client.writeUntilKilled()))
  await Promise.race([load, momentOfKill()])
  await server.process.kill()
  await Promise.all([load, reading])
  assert.equal(server.process.stderr, '')
  kills++
  await countFiles()
  pages += await verifyPages()
  if (kills % 20 === 0) print(progress())
  if (kills % 10 === 5) await killDuringStart()
}

const server = await start()
for (const client of clients) await client.verify('all')
const consumer = await connect(server.url)
const reading = read(consumer)
const commits = clients.flatMap((client) => client.commits)
const missing = () => commits.filter((cid) => !seen.has(cid))
for (const until = Date.now() + 20_000; missing().length > 0 && Date.now() < until; ) await setTimeout(50)
await server.process.kill()
await reading
assert.deepEqual(missing(), [])
assert.deepEqual(
  [...seen].filter(([, count]) => count > 1),
  [],
)
print(progress())
print(`nothing lost: ${commits.length} commits, each once in the event stream`)
await rm(dir, { recursive: true })

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

/** After a random number of operations; every other time while a checkpoint runs. */
async function momentOfKill(): Promise<void> {
  const last = operations() + random(60)
  while (operations() < last) await setTimeout(1)
  if (kills % 2 === 0) return
  const deadline = Date.now() + 5000
  const isRunning = async () => (await readdir(dir)).some((name) => name.startsWith(checkpointName))
  while (!(await isRunning()) && Date.now() < deadline) await setTimeout(1)
  await setTimeout(random(10))
}

async function killDuringStart(): Promise<void> {
  const starting = new ServerProcess(dir)
  await setTimeout(random(600))
  await starting.kill()
  pages += await verifyPages()
}

async function countFiles(): Promise<void> {
  const names = await readdir(dir)
  if (names.filter((name) => name.endsWith('.journal')).length > 1) files.duringCheckpoint++
  if (names.includes(checkpointName)) files.withCheckpointFile++
}

/** Reads the data as the next start will, and compares each page with its checksum. Returns the number of pages. */
async function verifyPages(): Promise<number> {
  const loaded = await load(nodeFiles, dir)
  try {
    assert.equal(loaded.checkedBy, 'checksums')
    let count = 0
    for (const _ of allPages(loaded.file)) count++
    assert.ok(isSound(loaded.sqlite))
    return count
  } finally {
    await closeFile(loaded)
  }
}

async function connect(url: string): Promise<Listener> {
  return listening(`${url}/xrpc/com.atproto.sync.subscribeRepos?cursor=${lastEvent}`)
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
    const cid = payload.commit && String(payload.commit)
    if (cid) seen.set(cid, (seen.get(cid) ?? 0) + 1)
  }
}

function progress(): string {
  return `${kills} kills (${files.duringCheckpoint} during a checkpoint, ${files.withCheckpointFile} while pages were put in place), ${operations()} operations, ${pages} pages verified, event ${lastEvent}`
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
