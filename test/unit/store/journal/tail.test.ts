/** What leaves is on disk: a frame that is refused after it was written is never read. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Database } from '../../../../server/store/database.ts'
import { nodeFiles } from '../../../../server/store/files/files.ts'
import { decodeFrames, readJournals } from '../../../../server/store/journal/journal.ts'
import { Journal } from '../../../../server/store/journal/journal-file.ts'
import { encodeStatement } from '../../../../server/store/journal/journal-statements.ts'
import { keptJournals } from '../../../../server/store/journal/retire.ts'
import { JournalGap, JournalTail } from '../../../../server/store/journal/tail.ts'
import { FaultyDisk } from '../../../support/store/faulty-disk.ts'
import { schemaOf } from '../../../support/store/schema-of.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'pds-tail-'))
})
afterAll(() => rm(dir, { recursive: true }))

const insert = (text: string) => [encodeStatement('INSERT INTO t VALUES (?)', [text])]

/** Returns the texts of a part. */
function textsOf(content: Buffer | undefined): unknown[] {
  const found: unknown[] = []
  for (const journal of readJournals(content ?? Buffer.alloc(0))) {
    for (const { statements } of decodeFrames(journal)) found.push(...statements.map(([, params]) => params))
  }
  return found.flat()
}

test('a transaction that was refused is not read, and the one that took its number is', async () => {
  const journal = await Journal.create(nodeFiles, dir, 1)
  await journal.reserve(64 * 1024)
  await journal.append(1, [insert('one')])
  const { length } = journal
  // In flight while the first one is read: its sync will fail.
  await journal.append(2, [insert('refused')])
  const tail = new JournalTail(nodeFiles, dir, 0)
  expect(textsOf((await tail.read(1, 1_000_000))?.content)).toEqual(['one'])
  await journal.close()
  const repaired = await Journal.resume(nodeFiles, dir, {
    firstSeq: 1,
    length,
    texts: ['INSERT INTO t VALUES (?)'],
  })
  await repaired.append(2, [insert('acknowledged')])
  expect(textsOf((await tail.read(2, 1_000_000))?.content)).toEqual(['acknowledged'])
  expect(tail.last).toBe(2)
  await repaired.close()
})

test('a frame of several transactions is read when all of them are on disk', async () => {
  const folder = await mkdtemp(join(dir, 'group-'))
  const journal = await Journal.create(nodeFiles, folder, 1)
  await journal.append(1, [insert('one'), insert('two')])
  const tail = new JournalTail(nodeFiles, folder, 0)
  expect(await tail.read(1, 1_000_000)).toBeUndefined()
  expect(textsOf((await tail.read(2, 1_000_000))?.content)).toEqual(['one', 'two'])
  await expect(new JournalTail(nodeFiles, join(folder, 'none'), 0).read(1, 1)).rejects.toThrow(JournalGap)
  await journal.close()
})

test('a journal that is kept for the copies is there after a power cut', async () => {
  const disk = new FaultyDisk()
  const now = () => new Date('2026-01-01')
  await disk.files.makeDir(keptJournals('/data'))
  const schema = schemaOf('CREATE TABLE t (text TEXT) STRICT')
  const db = await Database.open({ directory: '/data', schema, now, files: disk.files })
  for (const text of ['one', 'two']) {
    await db.transact((tx) => tx.run('INSERT INTO t VALUES (?)', [text]))
    await db.checkpoint()
  }
  disk.cutPower()
  await db.close()
  disk.restart()
  const read = await new JournalTail(disk.files, '/data', 0).read(2, 1_000_000)
  expect(textsOf(read?.content)).toEqual(['one', 'two'])
})
