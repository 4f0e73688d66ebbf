/** A clock that was ahead while an account was used: no time of its data stays in the future. */
import { expect, test } from 'vitest'
import { correctedColumns } from '../../../server/store/tables/future-times.ts'
import { addApps } from '../../support/lived-in/access.ts'
import { columnsOf, tablesOf } from '../../support/lived-in/account-rows.ts'
import { lived, people, runJobs, setupLivedIn } from '../../support/lived-in/lived-in.ts'
import { refreshAll } from '../../support/lived-in/people.ts'
import { keepPrivate } from '../../support/lived-in/records.ts'
import { day, minute } from '../../support/server/clock.ts'
import { server } from '../../support/server/setup.ts'

setupLivedIn()

/** Columns with times that are corrected elsewhere, or stay. */
const others: Readonly<Record<string, string>> = {
  'accounts.delete_after': 'its holder chose the date',
  'clock.trusted_at': 'the clock itself',
  'clock.furthest_at': 'the clock itself',
  'notification_clock.last': 'corrected with the notifications',
  'notifications.indexed_at': 'corrected in slices, in their order',
  'posts.sort_at': 'corrected in slices, with the records',
  'records.indexed_at': 'corrected in slices',
  'seen_markers.seen_at': 'corrected with the notifications',
  'seen_markers.given_at': 'corrected with the notifications',
  'session_uses.day': 'added to the counts of today',
  'storage_days.day': 'deleted: what was measured is not of that day',
  'account_storage_days.day': 'deleted likewise',
}

const isTime = /^(?!created_by|used_by).*_(at|after|by|until|since)$|^(day|last|since)$/

/** Columns with times, as `table.column`. */
const timeColumns = () => {
  const { store } = server.running.services
  return tablesOf(store).flatMap((table) =>
    columnsOf(store, table)
      .filter(({ name }) => isTime.test(name))
      .map(({ name }) => `${table}.${name}`),
  )
}

test('each column with a time is corrected, or there is a reason why it stays', () => {
  const columns = timeColumns()
  const known = new Set([...correctedColumns, ...Object.keys(others)])
  expect(columns.filter((column) => !known.has(column))).toEqual([])
  expect([...known].filter((column) => !columns.includes(column))).toEqual([])
})

const years = 3 * 365 * day
/** The latest expiry of a session of an app. */
const longest = 180 * day

test('after three years ahead no time stays in the future, and codes of an authenticator app work', async () => {
  const { clock, store, identity } = server.running.services
  await clock.check()
  server.clock.advance(years)
  await refreshAll()
  await keepPrivate(lived.made)
  await addApps()
  expect((await server.signIn(people.ann, { authFactorToken: lived.factors.code() })).status).toBe(200)
  await identity.uses.write()
  await identity.lastUsed.write()
  server.clock.advance(-years)
  await runJobs()

  const limit = server.clock.now().getTime() + longest
  const isLate = (value: string | number) =>
    typeof value === 'number' ? value > limit : value > new Date(limit).toISOString()
  const late = timeColumns().filter((name) => {
    const [table, column] = name.split('.')
    const { value } = store.get<{ value: string | number | null }>(
      `SELECT max(${column}) AS value FROM ${table}`,
    ) ?? { value: null }
    return value !== null && isLate(value)
  })
  expect(late).toEqual([])
  server.clock.advance(minute)
  expect((await server.signIn(people.ann, { authFactorToken: lived.factors.code() })).status).toBe(200)
})
