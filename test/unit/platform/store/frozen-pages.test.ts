/** Snapshots of a database that changes while they are read. */
import { expect, test } from 'vitest'
import { FrozenPages, watchWrites } from '../../../../server/platform/store/frozen-pages.ts'
import { Sqlite } from '../../../../server/platform/store/sqlite.ts'
import { seededRandom } from '../../../crash/random.ts'

const row = new Uint8Array(10_000).fill(7)

test('random writes while the pages are read do not show', () => {
  const random = seededRandom(3)
  const array = new Uint8Array(3 * 1024 * 1024)
  for (let at = 0; at < array.length; at++) array[at] = at % 251
  const watch = watchWrites(array)
  // Not a whole page.
  const length = array.length - 5000
  for (let round = 0; round < 5; round++) {
    const before = array.slice(0, length)
    using frozen = new FrozenPages(array, watch, length)
    const read: Buffer[] = []
    const write = () => {
      for (let n = 0; n < 300; n++) {
        array.set(new Uint8Array(1 + random(9000)).fill(random(256)), random(array.length - 9000))
      }
    }
    write()
    for (const chunk of frozen.chunks()) {
      read.push(Buffer.from(chunk))
      write()
    }
    expect(Buffer.compare(Buffer.concat(read), before)).toBe(0)
    expect(Buffer.compare(array.subarray(0, length), before)).not.toBe(0)
  }
})

test.each([1, 40])(
  'a database that changes, and becomes %d times as large, is read as it was',
  async (times) => {
    using sqlite = disposable(await largeDatabase())
    const before = sqlite.all('SELECT id, bytes FROM rows')
    using frozen = sqlite.freeze()
    const parts: Buffer[] = []
    for (const chunk of frozen?.chunks() ?? []) {
      parts.push(Buffer.from(chunk))
      sqlite.begin()
      sqlite.execute('UPDATE rows SET bytes = ? WHERE id % 3 = 0', [new Uint8Array(row.length).fill(9)])
      sqlite.execute('DELETE FROM rows WHERE id = ?', [parts.length])
      for (let n = 0; n < 10 * times; n++) sqlite.execute('INSERT INTO rows (bytes) VALUES (?)', [row])
      sqlite.commit()
    }
    expect(parts.length).toBeGreaterThan(3)
    using copy = disposable(await Sqlite.open(Buffer.concat(parts)))
    expect(copy.get('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' })
    expect(copy.all('SELECT id, bytes FROM rows')).toEqual(before)
    expect(sqlite.get('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' })
  },
)

test('a database that has outgrown its array cannot be frozen', async () => {
  using sqlite = disposable(await largeDatabase())
  for (let n = 0; n < 1000; n++) sqlite.execute('INSERT INTO rows (bytes) VALUES (?)', [row])
  expect(sqlite.freeze()).toBeUndefined()
})

/** Opens a database of 4 MB with as much room. */
async function largeDatabase(): Promise<Sqlite> {
  using written = disposable(await Sqlite.open())
  written.exec('CREATE TABLE rows (id INTEGER PRIMARY KEY, bytes BLOB) STRICT')
  for (let n = 0; n < 400; n++) written.execute('INSERT INTO rows (bytes) VALUES (?)', [row])
  return Sqlite.open(written.export().slice())
}

function disposable(sqlite: Sqlite): Sqlite & Disposable {
  return Object.assign(sqlite, { [Symbol.dispose]: () => sqlite.close() })
}
