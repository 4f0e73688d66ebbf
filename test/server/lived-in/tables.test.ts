/** The lived-in account has data of each kind: a table, a kind of record or a reason that is added later must be lived in too. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reasons } from '../../../server/app/tables/reasons.ts'
import { documents, lists } from '../../../server/store/tables/private-state.ts'
import { countRows, foreignKeysOf, idOf, tablesOf } from '../../support/lived-in/account-rows.ts'
import { people, setupLivedIn } from '../../support/lived-in/lived-in.ts'
import { server } from '../../support/server/setup.ts'
import { body } from '../../support/server/social.ts'

setupLivedIn()

const elsewhere = 'for identities and records of other servers: an account that is created deletes them'
const briefly = 'has rows for moments, which the next start would end'

/** Tables in which the account may have no row. */
const exceptions: Readonly<Record<string, string>> = {
  reserved_keys: 'for a DID that has no account yet',
  event_removals: 'for a DID whose account was deleted',
  fan_outs: briefly,
  imports: briefly,
  import_blocks: briefly,
  import_removals: briefly,
  plc_logs: elsewhere,
  record_checks: elsewhere,
  remote_actors: elsewhere,
  remote_deletions: elsewhere,
  remote_feed_items: elsewhere,
  remote_repositories: elsewhere,
  repository_queue: elsewhere,
  silent_records: elsewhere,
  upstream_queue: elsewhere,
  wanted_records: elsewhere,
}

test('the lived-in account has a row in each table that can refer to an account', () => {
  const { store } = server.running.services
  const { did } = people.ann
  const counts = countRows(store, { id: idOf(store, did), did })
  const empty = Object.keys(counts).filter((table) => counts[table] === 0 && !(table in exceptions))
  expect(empty).toEqual([])
  expect(Object.keys(exceptions).filter((table) => !(table in counts))).toEqual([])
})

test('the lived-in account has a record of each kind', async () => {
  const { collections } = body(await server.get('com.core.repo.describeRepo', { repo: people.ann.did }))
  const folder = join(import.meta.dirname, '../../../lexicons')
  const kinds = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json') && !name.startsWith('generated'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
    .filter(({ defs }) => defs?.main?.type === 'record')
  expect(kinds.length).toBeGreaterThan(10)
  expect(collections).toEqual(expect.arrayContaining(kinds.map(({ id }) => id)))
})

test('the lived-in account has a notification of each reason', async () => {
  const params = { limit: '100' }
  const { notifications } = body(
    await server.get('app.example.notification.listNotifications', params, people.ann),
  )
  const found = new Set(notifications.map(({ reason }: { reason: string }) => reason))
  // Matches of contacts come from a service.
  const expected = reasons.filter((reason) => reason !== 'contact-match')
  expect([...found].sort()).toEqual(expected.sort())
})

/** Tables of an account that are no private state of clients. */
const notPrivate: Readonly<Record<string, string>> = {
  account_storage_days: 'measured here',
  app_passwords: 'access',
  blobs: 'media',
  mail_tokens: 'access',
  missing_media: 'of a move',
  moves: 'of a move',
  notification_kinds: 'derived from notifications',
  notifications: 'derived from records',
  oauth_requests: 'access',
  plc_changes: 'identity',
  plc_operations: 'identity',
  recovery_codes: 'access',
  reports: 'for the owner',
  repos: 'records',
  second_factors: 'access',
  security_changes: 'access',
  session_uses: 'access',
  sessions: 'access',
}

test('checkAccountStatus counts the rows of each table of private state', async () => {
  const { store } = server.running.services
  const own = tablesOf(store).filter((table) =>
    foreignKeysOf(store, table).some(({ parent }) => parent === 'accounts'),
  )
  const counted = [...documents, ...lists, 'push_registrations']
  expect(own.filter((table) => !(counted as string[]).includes(table) && !(table in notPrivate))).toEqual([])
  const { privateStateValues } = body(await server.get('com.core.server.checkAccountStatus', {}, people.ann))
  const { did } = people.ann
  const countOf = (table: string, condition: string) =>
    store.get<{ n: number }>(`SELECT count(*) AS n FROM ${table} WHERE ${condition}`)?.n ?? 0
  const rows = [
    ...lists.map((table) => countOf(table, `account = ${idOf(store, did)}`)),
    countOf('push_registrations', `did = '${did}'`),
  ]
  expect(rows).not.toContain(0)
  // One preference of the app, and 13 of notifications.
  expect(privateStateValues).toBe(rows.reduce((sum, count) => sum + count) + 1 + 13)
})
