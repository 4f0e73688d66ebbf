/** A process whose lock file was removed, by a person or a cleaner of temporary files. */
import { existsSync, mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Database } from '../../../../server/store/database.ts'
import { nodeFiles } from '../../../../server/store/files/files.ts'
import { acquireLock } from '../../../../server/store/files/lock.ts'
import { StoreLocked, StoreLockLost } from '../../../../server/store/files/store-errors.ts'
import { schemaOf } from '../../../support/store/schema-of.ts'

const schema = schemaOf('CREATE TABLE item (id INTEGER PRIMARY KEY) STRICT')
let directory: string
let lost: Error[]
const open = (files = nodeFiles) =>
  Database.open({
    ...{ directory, schema, files, now: () => new Date() },
    onLockLost: (error) => lost.push(error),
  })
const add = (store: Database, id: number) =>
  store.transact((tx) => tx.run('INSERT INTO item (id) VALUES (?)', [id]))
const ids = (store: Database) =>
  store.all<{ id: number }>('SELECT id FROM item ORDER BY id').map(({ id }) => id)

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'pds-test-'))
  lost = []
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

test.skipIf(process.platform === 'win32')(
  'of two processes on a folder whose lock was removed, the first writes nothing more, and the second loses nothing',
  async () => {
    const first = await open()
    await add(first, 1)
    rmSync(join(directory, 'pds.lock'))
    const second = await open()
    await expect(add(first, 2)).rejects.toThrow(StoreLockLost)
    await expect(first.checkpoint()).rejects.toThrow(StoreLockLost)
    expect(lost).toHaveLength(1)
    await add(second, 3)
    await first.close()
    // It leaves the lock of the other process.
    await expect(open()).rejects.toThrow(StoreLocked)
    await add(second, 4)
    await second.close()
    const third = await open()
    expect(ids(third)).toEqual([1, 3, 4])
    await third.close()
  },
)

test.skipIf(process.platform === 'win32')(
  'a transaction during which the lock was removed is not acknowledged',
  async () => {
    let remove = () => {}
    const store = await open({
      ...nodeFiles,
      async edit(path, options) {
        const file = await nodeFiles.edit(path, options)
        return {
          ...file,
          async write(bytes, position) {
            remove()
            return file.write(bytes, position)
          },
        }
      },
      async create(path, options) {
        const file = await nodeFiles.create(path, options)
        return {
          ...file,
          async write(bytes, position) {
            remove()
            return file.write(bytes, position)
          },
        }
      },
    })
    await add(store, 1)
    remove = () => rmSync(join(directory, 'pds.lock'), { force: true })
    await expect(add(store, 2)).rejects.toThrow(
      `The lock of the data folder ${directory} was removed, and another process may use the folder now.`,
    )
    await store.close()
  },
)

test.skipIf(process.platform === 'win32')('the loss is found without a write', async () => {
  const store = await open()
  await store.checkLock()
  expect(lost).toEqual([])
  rmSync(join(directory, 'pds.lock'))
  await store.checkLock()
  expect(lost).toEqual([expect.any(StoreLockLost)])
  await store.close()
})

test.skipIf(process.platform === 'win32')(
  'a lock with another number of its file is held while its socket answers',
  async () => {
    const lock = await acquireLock(directory)
    const file = join(directory, 'pds.lock')
    expect(await lock.isHeld()).toBe(true)
    // A file system that numbers files anew looks as if the lock was another file.
    renameSync(file, `${file}.moved`)
    writeFileSync(file, '')
    expect(await lock.isHeld()).toBe(false)
    rmSync(file)
    renameSync(`${file}.moved`, file)
    utimesSync(file, 0, 0)
    expect(await lock.isHeld()).toBe(true)
    expect(statSync(file).isSocket()).toBe(true)
    await lock.release()
    expect(existsSync(file)).toBe(false)
  },
)
