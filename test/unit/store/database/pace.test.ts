import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Database } from '../../../../server/store/database.ts'
import { nodeFiles } from '../../../../server/store/files/files.ts'
import { acquireLock } from '../../../../server/store/files/lock.ts'
import { schemaOf } from '../../../support/store/schema-of.ts'

test('keepPace waits for a running checkpoint once the journal has grown meanwhile', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'pds-test-'))
  const started = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const files = {
    ...nodeFiles,
    async rename(from: string, to: string) {
      started.resolve()
      await released.promise
      await nodeFiles.rename(from, to)
    },
  }
  const schema = schemaOf('CREATE TABLE texts (text TEXT) STRICT')
  await (await Database.open({ directory, schema, now: () => new Date() })).close()
  const store = await Database.open({
    directory,
    schema,
    now: () => new Date(),
    files,
    checkpointBytes: 2000,
  })
  const write = (length: number) =>
    store.transact((tx) => tx.run('INSERT INTO texts (text) VALUES (?)', ['a'.repeat(length)]))

  await write(20_000)
  await started.promise
  // The new journal is short.
  await store.keepPace()
  await write(5000)
  let isDone = false
  const waiting = store.keepPace().then(() => {
    isDone = true
  })
  for (let turn = 0; turn < 10; turn++) await setImmediate()
  expect(isDone).toBe(false)
  released.resolve()
  await waiting
  await store.close()
  await rm(directory, { recursive: true })
})

test('a backup of another process that does not end makes neither journals grow without limit nor writes wait for long', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'pds-test-'))
  const schema = schemaOf('CREATE TABLE texts (text TEXT) STRICT')
  const checkpointBytes = 20_000
  const store = await Database.open({ directory, schema, now: () => new Date(), checkpointBytes })
  await mkdir(join(directory, 'backups'))
  const lock = await acquireLock(join(directory, 'backups'))
  let largest = 0
  for (let n = 0; n < 600; n++) {
    await store.transact((tx) =>
      tx.run('INSERT INTO texts (text) VALUES (?)', [randomBytes(2000).toString('base64')]),
    )
    const journals = (await readdir(directory)).filter((name) => name.endsWith('.journal'))
    const sizes = await Promise.all(
      journals.map((name) =>
        stat(join(directory, name))
          .then(({ size }) => size)
          .catch(() => 0),
      ),
    )
    largest = Math.max(largest, ...sizes)
  }
  expect(largest).toBeLessThan(6 * checkpointBytes + 2 * 256 * 1024)
  expect(store.get('SELECT count(*) AS count FROM texts')).toEqual({ count: 600 })
  await store.close()
  await lock.release()
  await rm(directory, { recursive: true })
})
