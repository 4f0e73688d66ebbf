/**
 * The store's durability, tested with a fault at every file operation: acknowledged transactions are complete afterwards, and
 * no other is there in part.
 */
import { expect, test } from 'vitest'
import { type Fault, FaultyDisk } from './faulty-disk.ts'
import { items, notes, Story } from './story.ts'

/** Uses every operation of a store, up to the last close. */
async function live(story: Story): Promise<void> {
  await story.tryToOpen(items)
  await story.add(1)
  await story.add(2, 3)
  await Promise.all([story.checkpoint(), story.add(4, 5)])
  await story.add(6)
  await story.backup()
  await story.close()
  await story.tryToOpen(items, notes)
  await story.add(7, 8)
  await story.checkpoint()
  await story.add(9)
  // A settled reader sees exactly the acknowledged transactions, also after a failure.
  if (await story.isSettled()) expect(story.ids()).toEqual([...story.acknowledged])
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

test.each(cases)(
  '$fault at any file operation, then $ending',
  { timeout: 300_000 },
  async ({ fault, ending }) => {
    const operations = await operationsOf(live)
    expect(operations).toBeGreaterThan(150)
    for (let at = 1; at <= operations; at++) {
      const where = `${fault} at operation ${at}`
      const story = new Story(new FaultyDisk())
      story.disk.failAt(at, fault)
      await live(story)
      if (ending === 'a clean close') await story.close()
      // A clean close must survive a power cut too.
      if (!story.disk.off) story.disk.cutPower()
      await story.close()
      story.disk.restart()

      await story.open(items, notes)
      const ids = story.ids()
      const { acknowledged, attempted } = story
      if (ending === 'a clean close') expect(ids, where).toEqual([...acknowledged])
      expect(ids, where).toEqual(expect.arrayContaining([...acknowledged]))
      expect([...attempted], where).toEqual(expect.arrayContaining(ids))
      // Everything that a reader has seen must be durable too.
      story.disk.cutPower()
      await story.close()
      story.disk.restart()

      await story.open(items, notes)
      expect(story.ids(), where).toEqual(ids)
      await story.add(100)
      story.disk.cutPower()
      await story.close()
      story.disk.restart()

      await story.open(items, notes)
      expect(story.ids(), where).toEqual([...ids, 100])
      await story.close()
    }
  },
)

async function operationsOf(work: (story: Story) => Promise<void>): Promise<number> {
  const story = new Story(new FaultyDisk())
  await work(story)
  await story.close()
  return story.disk.operations
}
