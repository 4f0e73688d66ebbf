/** The limit of journals that are kept for places. */
import { mkdir, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMaintenance } from '../../../../server/operation/replicas/maintenance.ts'
import type { Replica } from '../../../../server/operation/replicas/replica.ts'
import type { Database } from '../../../../server/store/database.ts'
import { nodeFiles } from '../../../../server/store/files/files.ts'
import { journalPath } from '../../../../server/store/files/layout.ts'
import { keptJournals } from '../../../../server/store/journal/retire.ts'
import { createLogger } from '../../../../server/util/log.ts'

let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'pds-kept-'))
})
afterAll(() => rm(dataDir, { recursive: true }))

/** Keeps journals that begin at 1, 100 and 200, with more bytes than may be kept; limits them, and returns what is left. */
async function leftFor(...seqs: number[]): Promise<number> {
  const kept = keptJournals(dataDir)
  await rm(kept, { recursive: true, force: true })
  await mkdir(kept, { recursive: true })
  await writeFile(join(dataDir, 'pds.sqlite'), '')
  for (const [first, bytes] of [
    [1, 250e6],
    [100, 50e6],
    [200, 50e6],
  ] as const) {
    await writeFile(journalPath(kept, first), '')
    await truncate(journalPath(kept, first), bytes)
  }
  await writeFile(journalPath(dataDir, 300), '')
  const places = seqs.map((seq) => ({ replicator: { state: { journalSeq: seq } } }) as Replica)
  const store = { seq: 400 } as Database
  const log = createLogger('silent')
  await createMaintenance({ places, store, files: nodeFiles, dataDir, log, onState() {} }).limitJournals()
  return (await readdir(kept)).length
}

test('a place that is slower than the changes does not keep journals without an end', async () => {
  expect(await leftFor(5)).toBe(0)
})

test('a place that is nearly up to date keeps what it needs, beside one that is far behind', async () => {
  expect(await leftFor(210, 5)).toBe(1)
  expect(await leftFor(150, 5)).toBe(2)
  expect(await leftFor(390)).toBe(0)
})
