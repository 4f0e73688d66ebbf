/** A deleted account's private key must not stay in the files of the data directory. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeBackup } from '../../../../server/operation/replicas/local/backups.ts'
import { adminAuth } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'

setupServer()

function signingKeyOf(did: string): Buffer {
  const { store } = server.running.services
  const row = store.get<{ key: Uint8Array }>('SELECT signing_key AS key FROM accounts WHERE did = ?', [did])
  return Buffer.from(row?.key ?? '')
}

/** Names of the files that contain the key, as bytes or as text. */
async function filesWith(key: Buffer): Promise<string[]> {
  const { dataDir } = server.config
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true })
  const found: string[] = []
  for (const entry of entries.filter((each) => each.isFile())) {
    const content = await readFile(join(entry.parentPath, entry.name))
    const forms = [key, key.toString('base64'), key.toString('hex')]
    if (forms.some((form) => content.includes(form))) found.push(entry.name.replace(/\d+T?/g, ''))
  }
  return found
}

test('deleted accounts: after a checkpoint no file contains the private key, except older backups', async () => {
  await server.account('carol')
  const { did } = await server.account('alice')
  const { store } = server.running.services
  const key = signingKeyOf(did)
  expect(key).toHaveLength(32)
  expect(await filesWith(key)).toEqual(['pds..journal'])
  await store.checkpoint()
  expect(await filesWith(key)).toEqual(['pds.sqlite'])

  expect((await server.post('com.core.admin.deleteAccount', { did }, adminAuth)).status).toBe(200)
  await makeBackup({ dataDir: server.config.dataDir, now: server.clock.now, store })
  await store.checkpoint()
  expect(await filesWith(key)).toEqual([])
  await server.restart()
  expect(await filesWith(key)).toEqual([])
})

test('deleted accounts: a checkpoint on close removes the private key too', async () => {
  const { did } = await server.account('bob')
  const key = signingKeyOf(did)
  await server.restart()
  expect(await filesWith(key)).toEqual(['pds.sqlite'])
  expect((await server.post('com.core.admin.deleteAccount', { did }, adminAuth)).status).toBe(200)
  await server.restart()
  expect(await filesWith(key)).toEqual([])
})
