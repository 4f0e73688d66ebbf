/** Journals of format 1 are read and never appended to. */
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { beforeEach, expect, test } from 'vitest'
import { decodeFrames, readJournal } from '../../../../server/platform/store/journal/journal.ts'
import { type Fault, FaultyDisk } from './faulty-disk.ts'
import { directory, TrackedStore } from './tracked-store.ts'

const first = 'pds.000000000001.journal'
let disk: FaultyDisk

function line(text: string): string {
  const padded = text.padEnd(55)
  return `${padded}${crc32(padded).toString(16).padStart(8, '0')}\n`
}

/** Returns a journal in format 1, with a frame for each transaction. */
function inFormat1(journal: Buffer): Buffer {
  let text = line('pds journal 1 1')
  for (const { seq, statements } of decodeFrames(readJournal(journal, 1, true))) {
    const encoded = statements.map(([sql, params]) => [
      sql,
      params.map((value) => (value instanceof Buffer ? { base64: value.toString('base64') } : value)),
    ])
    const json = JSON.stringify([encoded])
    const payload = `${json.padEnd(Math.ceil((json.length + 1) / 8) * 8 - 1)}\n`
    text += line(`frame ${seq} 1 ${payload.length} ${crc32(payload).toString(16).padStart(8, '0')}`) + payload
  }
  return Buffer.from(text)
}

/** The disk of a killed server of that format, with the items 1 to 3 in its journal, or none. */
async function earlier(...ids: number[]): Promise<FaultyDisk> {
  const store = new TrackedStore(new FaultyDisk())
  await store.open()
  await store.add(...ids)
  await store.kill()
  const path = join(directory, first)
  const journal = inFormat1(store.disk.content(path))
  store.disk.put(path, Buffer.concat([journal, Buffer.alloc(4096)]))
  return store.disk
}

beforeEach(async () => {
  disk = await earlier(1, 2, 3)
})

async function expectItems(ids: number[]): Promise<void> {
  const store = new TrackedStore(disk)
  await store.open()
  expect(store.ids()).toEqual(ids)
  await store.kill()
}

test('a start reads it, seals it and begins another one', async () => {
  const store = new TrackedStore(disk)
  await store.open()
  expect(store.ids()).toEqual([1, 2, 3])
  await store.add(4)
  await store.kill()
  const content = disk.content(join(directory, first))
  expect(readJournal(content, 1, false)).toMatchObject({ format: 1, length: content.length })
  expect(disk.names(directory)).toContain('pds.000000000004.journal')
  await expectItems([1, 2, 3, 4])
})

test('a start replaces an empty one', async () => {
  disk = await earlier()
  await expectItems([])
  expect(readJournal(disk.content(join(directory, first)), 1, true).format).toBe(2)
})

test('a checkpoint moves it into the snapshot', async () => {
  const store = new TrackedStore(disk)
  await store.open()
  await store.checkpoint()
  expect(disk.names(directory)).not.toContain(first)
  await store.kill()
  await expectItems([1, 2, 3])
})

test('a changed byte is damage, a torn tail is dropped', async () => {
  const path = join(directory, first)
  const content = Buffer.from(disk.content(path))
  const last = content.lastIndexOf('frame ')
  const changed = Buffer.from(content)
  changed[last + 100] = 0
  expect(() => readJournal(changed, 1, true)).toThrow('fails its check')
  disk.put(path, content.subarray(0, last + 100))
  await expectItems([1, 2])
})

test.each<Fault>([
  'fails',
  'kill',
  'power cut',
  'power cut, prefix kept',
  'power cut, last kept',
  'power cut, sectors kept',
])('a start with the fault "%s" at any operation loses nothing', async (fault) => {
  for (const before of [disk, await earlier()]) {
    const ids = before === disk ? [1, 2, 3] : []
    for (let at = 1; at <= 40; at++) {
      const store = new TrackedStore(before.clone())
      store.disk.failAt(at, fault)
      await store.tryToOpen()
      await store.kill()
      await store.open()
      expect(store.ids(), `operation ${at}`).toEqual(ids)
      await store.close()
    }
  }
})
