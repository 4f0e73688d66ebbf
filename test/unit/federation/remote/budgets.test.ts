/** Budgets of what other servers can make this one store. */
import { expect, test } from 'vitest'
import {
  type BudgetedRecord,
  createBudgets,
  type Standing,
} from '../../../../server/federation/remote/limits/budgets.ts'
import { linkPaths } from '../../../../server/repository/format/link-paths.ts'
import type { Reader } from '../../../../server/store/database.ts'
import { createLogger } from '../../../../server/util/log.ts'
import { hour, TestClock } from '../../../support/server/clock.ts'

const lines: { readonly msg: string; readonly limit: number }[] = []
const log = createLogger('info', { write: (line) => void lines.push(JSON.parse(line)) })
const clock = new TestClock()
const db = {} as Reader
/** DIDs of the tests begin with the standing of their author. */
const standingOf = (_: Reader, did: string) =>
  (/^did:web:(watched|new)/.exec(did)?.[1] ?? 'established') as Standing

/** Counts the records that are within the budgets. */
function taken(
  budgets: ReturnType<typeof createBudgets>,
  count: number,
  record: (n: number) => BudgetedRecord,
) {
  let within = 0
  for (let n = 0; n < count; n++) if (budgets.take(db, record(n))) within++
  return within
}

const subject = { collection: 'app.example.feed.post', rkey: '3kaaaaaaaaaa2' }
const like = { path: linkPaths['feed.like:subject'], did: 'did:web:alice.test', record: subject }

test('each budget holds for an hour, and is logged once', () => {
  const budgets = createBudgets({ now: clock.now, log, standingOf })
  const byOne = () => ({
    source: 'https://one.test',
    did: 'did:web:one.test',
    links: [],
    notify: true,
  })
  const likes = (n: number) => ({
    source: 'https://one.test',
    did: `did:web:${n}.test`,
    links: [like],
    notify: true,
  })
  const all = (n: number) => ({
    source: 'https://two.test',
    did: `did:web:${n}.test`,
    links: [],
    notify: false,
  })
  expect(taken(budgets, 310, byOne)).toBe(300)
  expect(taken(budgets, 1_100, likes)).toBe(1_000)
  expect(taken(budgets, 20_100, all)).toBe(20_000)
  expect(lines).toMatchObject([
    { author: 'did:web:one.test', limit: 300 },
    { subject: 'at://did:web:alice.test/3kaaaaaaaaaa2', limit: 1_000 },
    { source: 'https://two.test', limit: 20_000 },
  ])
  clock.advance(hour)
  expect(taken(budgets, 310, byOne)).toBe(300)
})

test('records that arrive silently do not count for their author', () => {
  const budgets = createBudgets({ now: clock.now, log, standingOf })
  const silent = () => ({
    source: 'https://one.test',
    did: 'did:web:one.test',
    links: [],
    notify: false,
  })
  expect(taken(budgets, 400, silent)).toBe(400)
})

test('a budget is spent once it is used up, which is not counted', () => {
  const budgets = createBudgets({ now: clock.now, log, standingOf })
  const record = (n: number) => ({
    source: 'https://one.test',
    did: `did:web:${n}.test`,
    links: [like],
    notify: true,
  })
  const isSpent = (n: number, links = [like]) => budgets.isSpent(db, record(n), () => links)
  taken(budgets, 1_001, record)
  expect(isSpent(2_000)).toBe(true)
  expect(isSpent(2_000, [{ ...like, did: 'did:web:other.test' }])).toBe(false)
  expect(isSpent(2_000, [])).toBe(false)
  clock.advance(hour)
  expect(isSpent(2_000)).toBe(false)
})

test('new authors use up a part of the budgets only, and watched authors have room of their own', () => {
  const budgets = createBudgets({ now: clock.now, log, standingOf })
  const record = (by: Standing, links: BudgetedRecord['links']) => (n: number) => ({
    ...{ source: 'https://one.test', did: `did:web:${by}${n}.test`, links, notify: true },
  })
  expect(taken(budgets, 2000, record('new', [like]))).toBe(500)
  expect(taken(budgets, 2000, record('established', [like]))).toBe(500)
  expect(taken(budgets, 2000, record('watched', [like]))).toBe(2000)
  expect(taken(budgets, 25_000, record('new', []))).toBe(4500)
  expect(budgets.isSpent(db, record('new', [])(1), () => [])).toBe(true)
  expect(budgets.isSpent(db, record('established', [])(30_000), () => [])).toBe(false)
  expect(taken(budgets, 100, record('established', []))).toBe(100)
})

test('authors with many records leave room for others', () => {
  const budgets = createBudgets({ now: clock.now, log, standingOf })
  const record = (did: string) => ({ source: 'https://one.test', did, links: [], notify: true }) as const
  let flood = 0
  for (let round = 0; round < 300; round++) {
    for (let n = 0; n < 67; n++) if (budgets.take(db, record(`did:web:flood${n}.test`))) flood++
  }
  expect(flood).toBeGreaterThan(10_000)
  const mine = taken(budgets, 100, () => record('did:web:honest.test'))
  expect(mine).toBe(100)
})
