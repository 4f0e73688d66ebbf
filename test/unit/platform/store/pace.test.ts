import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Database } from '../../../../server/platform/store/database.ts'
import { nodeFiles } from '../../../../server/platform/store/files.ts'
import { schemaOf } from '../../../support/schema-of.ts'

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
