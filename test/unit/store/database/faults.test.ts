/**
 * The store's durability, tested with a fault at every file operation: acknowledged transactions are complete afterwards, and
 * no other is there in part.
 */
import { expect, test } from 'vitest'
import { type Fault, FaultyDisk, isPossible } from '../../../support/store/faulty-disk.ts'
import { items, notes, TrackedStore } from '../../../support/store/tracked-store.ts'

/** Uses every operation of a store, up to the last close. */
async function live(store: TrackedStore): Promise<void> {
  await store.tryToOpen(items)
  await store.add(1)
  await store.add(2, 3)
  await Promise.all([store.checkpoint(), store.add(4, 5)])
  await store.add(6)
  await store.backup()
  await store.close()
  await store.tryToOpen(notes)
  await store.add(7, 8)
  await store.checkpoint()
  await store.add(9)
  // A settled reader sees exactly the acknowledged transactions, also after a failure. Pages are read from the disk.
  if (store.disk.isReadable && (await store.isSettled())) expect(store.ids()).toEqual([...store.acknowledged])
}

const passing: Fault[] = [
  'fails',
  'works but fails',
  'disk full',
  'disk removed',
  'short write',
  'torn write',
  'lost sync',
]
/** Faults that leave files to clean up. */
const untidy: Fault[] = ['fails', 'disk removed', 'torn write', 'lost sync']
const final: Fault[] = [
  'kill',
  'power cut',
  'power cut, prefix kept',
  'power cut, last kept',
  'power cut, sectors kept',
]
const cases = [
  ...passing.map((fault) => ({ fault, ending: 'a clean close' })),
  ...untidy.map((fault) => ({ fault, ending: 'a power cut' })),
  ...final.map((fault) => ({ fault, ending: 'nothing else' })),
]

test('a transaction that fails during a checkpoint is not in the snapshot, and takes no number of a later one', async () => {
  let failures = 0
  for (let operation = 1; operation <= 40; operation++) {
    const store = new TrackedStore(new FaultyDisk())
    await store.open()
    await store.add(1, 2, 3)
    store.disk.failAt(store.disk.operations + operation, 'fails')
    await Promise.all([store.checkpoint(), store.add(4), store.add(5)])
    await store.add(6, 7)
    await store.kill()
    await store.open()
    expect(store.ids(), `operation ${operation}`).toEqual([...store.acknowledged])
    if (store.acknowledged.size < store.attempted.size) failures++
    await store.close()
  }
  expect(failures).toBeGreaterThan(0)
})

/** Disks that were verified, each with the items that it had to have. Many faults leave the same. */
const verified = new Set<string>()

test.each(cases)(
  '$fault at any file operation, then $ending',
  { timeout: 300_000 },
  async ({ fault, ending }) => {
    const history = await historyOf(live)
    expect(history.length).toBeGreaterThan(150)
    for (const [index, operation] of history.entries()) {
      if (!isPossible(fault, operation)) continue
      const at = index + 1
      const where = `${fault} at operation ${at}`
      const store = new TrackedStore(new FaultyDisk())
      store.disk.failAt(at, fault)
      await live(store)
      if (ending === 'a clean close') await store.close()
      // A clean close must survive a power cut too.
      if (!store.disk.off) store.disk.cutPower()
      await store.close()
      store.disk.restart()

      const { acknowledged, attempted, disk } = store
      const state = [disk.fingerprint(), ending, ...acknowledged, '|', ...attempted].join(' ')
      if (verified.has(state)) continue
      verified.add(state)

      await store.open(notes)
      const ids = store.ids()
      if (ending === 'a clean close') expect(ids, where).toEqual([...acknowledged])
      expect(ids, where).toEqual(expect.arrayContaining([...acknowledged]))
      expect([...attempted], where).toEqual(expect.arrayContaining(ids))
      // Everything that a reader has seen must be durable too.
      store.disk.cutPower()
      await store.close()
      store.disk.restart()

      await store.open(notes)
      expect(store.ids(), where).toEqual(ids)
      await store.add(100)
      store.disk.cutPower()
      await store.close()
      store.disk.restart()

      await store.open(notes)
      expect(store.ids(), where).toEqual([...ids, 100])
      await store.close()
    }
  },
)

async function historyOf(work: (store: TrackedStore) => Promise<void>) {
  const store = new TrackedStore(new FaultyDisk())
  await work(store)
  await store.close()
  return store.disk.history
}
