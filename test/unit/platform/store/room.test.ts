import { expect, test, vi } from 'vitest'
import { Sqlite } from '../../../../server/platform/store/sqlite.ts'

const megabyte = new Uint8Array(1024 * 1024).fill(7)

test('a database is opened with spare memory, so that growing does not copy it', async () => {
  using sqlite = await databaseOf(16)
  const copies = vi.spyOn(Object.getPrototypeOf(Uint8Array.prototype), 'set')
  fill(sqlite, 12)
  const lengths = copies.mock.calls.map(([source]) => (source as Uint8Array).length)
  copies.mockRestore()
  expect(lengths).not.toEqual([])
  expect(Math.max(...lengths)).toBeLessThan(2 * megabyte.length)
})

test('a database can grow beyond its spare memory', async () => {
  using sqlite = await databaseOf(4)
  fill(sqlite, 8)
  using again = disposable(await Sqlite.open(sqlite.export()))
  expect(again.get('SELECT count(*) AS count, sum(length(bytes)) AS bytes FROM blobs')).toEqual({
    count: 12,
    bytes: 12 * megabyte.length,
  })
  expect(again.get('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' })
})

/** Opens a database from a file that contains that many megabytes. */
async function databaseOf(megabytes: number): Promise<Sqlite & Disposable> {
  using written = disposable(await Sqlite.open())
  written.exec('CREATE TABLE blobs (bytes BLOB) STRICT')
  fill(written, megabytes)
  return disposable(await Sqlite.open(written.export()))
}

function disposable(sqlite: Sqlite): Sqlite & Disposable {
  return Object.assign(sqlite, { [Symbol.dispose]: () => sqlite.close() })
}

function fill(sqlite: Sqlite, megabytes: number): void {
  for (let i = 0; i < megabytes; i++) sqlite.execute('INSERT INTO blobs VALUES (?)', [megabyte])
}
