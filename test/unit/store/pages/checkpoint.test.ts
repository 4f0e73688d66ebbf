/** Checkpoints of a store that takes several parts to write, on the real disk. */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Database } from '../../../../server/store/database.ts'
import { nodeFiles } from '../../../../server/store/files/files.ts'
import { schemaOf } from '../../../support/store/schema-of.ts'

const schema = schemaOf('CREATE TABLE rows (id INTEGER PRIMARY KEY, bytes BLOB) STRICT')
const bytesOf = (n: number) => new Uint8Array(20_000).fill(n)

test('transactions during a checkpoint are neither lost nor applied twice', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'pds-test-'))
  const [directory, image] = [join(parent, 'data'), join(parent, 'image')]
  const options = { schema, now: () => new Date() }
  await (await Database.open({ ...options, directory })).close()
  let parts = 0
  const begun = Promise.withResolvers<void>()
  const files = {
    ...nodeFiles,
    async create(path: string) {
      const file = await nodeFiles.create(path)
      if (!path.endsWith('pds.checkpoint.tmp')) return file
      return {
        ...file,
        async write(bytes: Uint8Array, position: number) {
          parts++
          begun.resolve()
          await change()
          return file.write(bytes, position)
        },
      }
    },
  }
  const store = await Database.open({ ...options, directory, files })
  let changes = 0
  async function change(): Promise<void> {
    const at = ++changes
    await Promise.all([
      store.transact((tx) => tx.run('UPDATE rows SET bytes = ? WHERE id % 7 = ?', [bytesOf(at), at % 7])),
      store.transact((tx) => tx.run('INSERT INTO rows (bytes) VALUES (?)', [bytesOf(at)])),
      store.transact((tx) => tx.run('DELETE FROM rows WHERE id = ?', [at])),
    ])
  }
  for (let n = 0; n < 200; n++) {
    await store.transact((tx) => tx.run('INSERT INTO rows (bytes) VALUES (?)', [bytesOf(0)]))
  }
  const checkpoint = store.checkpoint()
  await begun.promise
  await change()
  await checkpoint
  await change()
  expect(parts).toBeGreaterThan(3)

  // The state after a power cut.
  await cp(directory, image, { recursive: true, filter: (path) => !path.includes('pds.lock') })
  const all = 'SELECT id, bytes FROM rows ORDER BY id'
  const again = await Database.open({ ...options, directory: image })
  expect(again.all(all)).toEqual(store.all(all))
  expect(again.get('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' })
  await again.close()
  await store.close()
  await rm(parent, { recursive: true })
})
