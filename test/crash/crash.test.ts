/**
 * Durability of the whole server as a process: acknowledged writes are complete after a crash, and no other is there in part. `CRASHES`
 * changes their number, `CRASH_SEED` repeats the random choices of a run, but not the timing of the system. The simulation kills servers
 * thousands of times; here are the real process and disk.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBlobs } from '../../server/repository/blobs/blobs.ts'
import { schema } from '../../server/schema/schema.ts'
import { Database } from '../../server/store/database.ts'
import { nodeFiles } from '../../server/store/files/files.ts'
import { cidText } from '../../server/util/cid.ts'
import { createLogger } from '../../server/util/log.ts'
import { filesIn } from '../support/records/blobs.ts'
import { plausibleClock } from '../support/server/clock.ts'
import { LoadClient } from './load-client.ts'
import { ServerProcess } from './process.ts'
import { type Random, seededRandom } from './random.ts'

const crashes = Number(process.env.CRASHES ?? 12)
const seed = Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000)

let dir: string
let server: ServerProcess

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'pds-crash-'))
})

afterAll(async () => {
  await server.kill()
  await rm(dir, { recursive: true, force: true })
})

test(`a server killed ${crashes} times under load keeps every acknowledged write (CRASH_SEED=${seed})`, {
  timeout: 900_000,
}, async () => {
  const random = seededRandom(seed)
  const clients = Array.from({ length: 3 }, (_, i) => new LoadClient(`client-${i}`, random))
  let duringCheckpoint = 0

  for (let crash = 0; crash < crashes; crash++) {
    if (crash % 8 === 7) await killDuringStart(random)
    await startFor(clients)
    if (crash === 0) await Promise.all(clients.map((client) => client.signUp()))
    await Promise.all(clients.map((client) => client.verify('touched')))

    const load = Promise.all(clients.map((client) => client.writeUntilKilled()))
    await Promise.race([load, momentOfCrash(crash, clients, random)])
    await server.kill()
    await load
    if (await isCheckpointing()) duringCheckpoint++
  }

  await startFor(clients)
  for (const client of clients) await client.verify('all')
  expect(server.stderr).toBe('')
  await expectNoOrphans()
  const facts = clients.reduce((sum, { factCount }) => sum + factCount, 0)
  process.stdout.write(
    `${crashes} crashes, ${duringCheckpoint} of them during a checkpoint; ${facts} facts held\n`,
  )
  expect(duringCheckpoint).toBeGreaterThan(crashes / 8)
})

async function startFor(clients: readonly LoadClient[]): Promise<void> {
  server = new ServerProcess(dir)
  const url = await server.serving()
  for (const client of clients) client.url = url
  expect(server.stderr).toBe('')
  expect((await readdir(dir)).filter((name) => name.includes('damaged'))).toEqual([])
}

/** Every file of a blob has a row, and every row a file, once the server has swept. */
async function expectNoOrphans(): Promise<void> {
  await server.kill()
  const now = () => new Date()
  const store = await Database.open({ directory: dir, schema, now })
  const blobs = createBlobs({
    store,
    files: nodeFiles,
    dataDir: dir,
    log: createLogger('silent'),
    now,
    clock: plausibleClock,
  })
  await blobs.removeTemporaries()
  await blobs.sweep()
  const rows = store.all<{ cid: Uint8Array }>('SELECT DISTINCT cid FROM blobs')
  await store.close()
  const cids = rows.map(({ cid }) => cidText(cid))
  expect(await filesIn(dir, 'blobs')).toEqual(cids.map((cid) => `${cid.slice(-2)}/${cid}`).toSorted())
  expect(cids.length).toBeGreaterThan(0)
}

/** After a random number of operations; every other crash during a checkpoint, half of those while it writes its pages. */
async function momentOfCrash(crash: number, clients: readonly LoadClient[], random: Random): Promise<void> {
  const operations = () => clients.reduce((sum, { operationCount }) => sum + operationCount, 0)
  const end = operations() + random(60)
  while (operations() < end) await setTimeout(1)
  if (crash % 2 === 0) return
  const isWritingPages = crash % 4 === 3
  while (!(isWritingPages ? await hasTemporary() : await isCheckpointing())) await setTimeout(1)
  await setTimeout(random(isWritingPages ? 10 : 100))
}

async function killDuringStart(random: Random): Promise<void> {
  const starting = new ServerProcess(dir)
  await setTimeout(random(400))
  await starting.kill()
}

/** A checkpoint leaves the old journal until its pages are in the database file. */
async function isCheckpointing(): Promise<boolean> {
  return (await readdir(dir)).filter((name) => name.endsWith('.journal')).length > 1
}

/** The pages of a checkpoint are written to a file of their own first, which gets its name at the end. */
async function hasTemporary(): Promise<boolean> {
  return (await readdir(dir)).some((name) => name.endsWith('.tmp'))
}
