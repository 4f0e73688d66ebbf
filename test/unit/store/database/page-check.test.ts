import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { pageCheckName } from '../../../../server/store/files/layout.ts'
import { createPageCheck, type PageCheck } from '../../../../server/store/page-check.ts'
import { day, hour, TestClock } from '../../../support/server/clock.ts'
import { FaultyDisk } from '../../../support/store/faulty-disk.ts'
import { directory } from '../../../support/store/tracked-store.ts'

const pageCount = 1000
const hoursOfWeek = 168

let disk: FaultyDisk
let clock: TestClock
let read: number[]
let damaged: Set<number>
let found: Set<number>
let check: PageCheck
beforeEach(async () => {
  disk = new FaultyDisk()
  clock = new TestClock()
  read = []
  damaged = new Set()
  await disk.files.makeDir(directory)
  await start()
})

/** Starts the check as after a restart of the server. */
async function start(signal = new AbortController().signal): Promise<void> {
  found = new Set()
  const store = {
    pageCount,
    get damagedPages() {
      return [...found]
    },
    isPageIntact(page: number) {
      read.push(page)
      const isIntact = !damaged.has(page)
      if (isIntact) found.delete(page)
      else found.add(page)
      return isIntact
    },
  }
  check = await createPageCheck({ store, files: disk.files, dataDir: directory, now: clock.now, signal })
}

async function runHours(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    await check.run()
    clock.advance(hour)
  }
}

/** Hours since all pages were verified. */
function verifiedAgo(): number {
  return (clock.now().getTime() - (check.state().verifiedAt?.getTime() ?? 0)) / hour
}

const allPages = Array.from({ length: pageCount }, (_, at) => at + 1)

test('the state has the part that is checked, and when the round ends', async () => {
  const begin = clock.now().getTime()
  const state = () => ({
    ...check.state(),
    endsIn: Math.round((check.state().endsAt.getTime() - begin) / hour),
  })
  expect(state()).toMatchObject({ share: 0, endsIn: 7 * 24 })
  await runHours(84)
  expect(state().share).toBeCloseTo(0.5, 1)
  expect(state().endsIn).toBe(7 * 24)
  await runHours(84)
  expect(state()).toMatchObject({ share: 0, endsIn: 14 * 24 - 1 })
})

test('every page is read once within a week, a little in each hour', async () => {
  let most = 0
  for (let i = 0; i < hoursOfWeek; i++) {
    expect(check.state()).toMatchObject({ verifiedAt: undefined, damagedPages: 0 })
    const before = read.length
    await runHours(1)
    most = Math.max(most, read.length - before)
  }
  expect(read).toEqual(allPages)
  expect(most).toBe(Math.ceil(pageCount / hoursOfWeek))
  expect(verifiedAgo()).toBeCloseTo(1)
  await runHours(1)
  expect(read.slice(pageCount)).toEqual(allPages.slice(0, 2 * most))
})

test('it goes on after restarts, and catches up on days without the server', async () => {
  await runHours(10)
  await start()
  clock.advance(3 * day)
  await check.run()
  expect(read).toEqual(allPages.slice(0, Math.ceil((pageCount * (10 + 72 + 1)) / hoursOfWeek)))
  clock.advance(30 * day)
  await start()
  await check.run()
  expect(read).toEqual(allPages)
  expect(verifiedAgo()).toBeCloseTo(0)
})

test('a damaged page keeps data from counting as verified until it is intact again', async () => {
  damaged.add(500)
  await runHours(hoursOfWeek)
  expect(check.state()).toMatchObject({ verifiedAt: undefined, damagedPages: 1 })
  await start()
  expect(check.state().damagedPages).toBe(1)
  await runHours(1)
  expect(check.state().damagedPages).toBe(1)
  damaged.clear()
  await runHours(1)
  expect(check.state()).toMatchObject({ verifiedAt: undefined, damagedPages: 0 })
  await runHours(hoursOfWeek)
  expect(check.state().verifiedAt).toBeInstanceOf(Date)
})

test('a clock that was set back stops nothing', async () => {
  await runHours(100)
  clock.advance(-365 * day)
  const before = read.length
  await check.run()
  expect(read.length).toBe(before)
  await runHours(hoursOfWeek)
  expect(read.length).toBe(pageCount)
})

test('a damaged record of the progress begins a new round', async () => {
  await runHours(20)
  disk.put(join(directory, pageCheckName), Buffer.from('{"startedAt": 1, "next": "x"}'))
  read = []
  await start()
  await check.run()
  expect(read[0]).toBe(1)
})

test('it ends when the server closes', async () => {
  const closing = new AbortController()
  await start(closing.signal)
  closing.abort()
  clock.advance(7 * day)
  await check.run()
  expect(read).toEqual([])
})
