/** The storage that an account uses: com.core.server.getUsage. */
import { expect, test } from 'vitest'
import { blobOf, png } from '../../../support/records/blobs.ts'
import type { Account } from '../../../support/server/server.ts'
import { owner, server, setupServer } from '../../../support/server/setup.ts'

setupServer({ accounts: ['alice'] })

const usage = async (of: Account) => (await server.get('com.core.server.getUsage', {}, of)).body
const create = (collection: string, record: object, rkey: string) =>
  server.post('com.core.repo.createRecord', { repo: owner.did, collection, record, rkey }, owner)

test('usage: has records and bytes of each collection, largest first', async () => {
  expect(await usage(owner)).toMatchObject({ collections: [], blobs: { count: 0, bytes: 0 } })
  await create('com.example.small', { text: 'x' }, 'one')
  await create('com.example.large', { text: 'x'.repeat(1000) }, 'one')
  await create('com.example.large', { text: 'x'.repeat(1000) }, 'two')
  const { collections } = await usage(owner)
  expect(collections).toEqual([
    { collection: 'com.example.large', records: 2, bytes: expect.any(Number) },
    { collection: 'com.example.small', records: 1, bytes: expect.any(Number) },
  ])
  expect(collections[0].bytes).toBeGreaterThan(2000)
  expect(collections[0].bytes).toBeLessThan(2200)

  const deleted = { repo: owner.did, collection: 'com.example.small', rkey: 'one' }
  await server.post('com.core.repo.deleteRecord', deleted, owner)
  expect((await usage(owner)).collections).toHaveLength(1)
})

test('usage: has the blobs to which records refer', async () => {
  const carla = await server.account('carla')
  const [first, second] = [png('first', 300), png('second', 500)]
  await blobOf(server, carla, png('without a record'))
  const images = [await blobOf(server, carla, first), await blobOf(server, carla, second)]
  for (const rkey of ['one', 'two']) {
    const note = { repo: carla.did, collection: 'com.example.note', rkey, record: { images } }
    await server.post('com.core.repo.createRecord', note, carla)
  }
  expect((await usage(carla)).blobs).toEqual({ count: 2, bytes: 800 })
})

test('usage: is the one of the caller', async () => {
  const bob = await server.account('bob')
  await create('com.example.note', { text: 'hers' }, 'note')
  expect((await usage(bob)).collections).toEqual([])
})
