/** What a server has, for comparison: the rows of each table, and what persons see. */
import { createHash } from 'node:crypto'
import type { Reader } from '../../../server/store/database.ts'
import type { TestServer } from '../server/server.ts'
import { body } from '../server/social.ts'
import { columnsOf, tablesOf } from './account-rows.ts'

/** Tables that the store and the clock write at each start. */
const ofTheStore = ['clock', 'store_meta']

/** Returns a checksum of the rows of each table. */
export function contentsOf(db: Reader): Record<string, string> {
  const sums = tablesOf(db)
    .filter((table) => !ofTheStore.includes(table))
    .map((table) => {
      const columns = columnsOf(db, table).map(({ name }) => `"${name}"`)
      const hash = createHash('sha256')
      for (const row of db.all<object>(`SELECT * FROM ${table} ORDER BY ${columns.join(', ')}`)) {
        const values = Object.values(row).map((value) =>
          value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
        )
        hash.update(JSON.stringify(values))
      }
      return [table, hash.digest('hex')] as const
    })
  return Object.fromEntries(sums)
}

/** Returns the tables whose rows differ. */
export function changesBetween(one: Record<string, string>, two: Record<string, string>): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(two)])]
    .filter((table) => one[table] !== two[table])
    .sort()
}

type Auth = { readonly accessJwt: string } | undefined

/** Returns the answers to what a client asks about an account, and in the name of one. */
export async function viewsOf(
  server: TestServer,
  did: string,
  viewer: Auth,
): Promise<Record<string, unknown>> {
  const app = (name: string) => `app.example.${name}`
  const about: readonly (readonly [string, Record<string, string>])[] = [
    [app('actor.getProfile'), { actor: did }],
    [app('feed.getAuthorFeed'), { actor: did, limit: '100' }],
    [app('graph.getFollowers'), { actor: did }],
    [app('graph.getFollows'), { actor: did }],
    [app('graph.getLists'), { actor: did }],
    [app('graph.getActorStarterPacks'), { actor: did }],
    [app('feed.getActorFeeds'), { actor: did }],
    ['com.core.repo.describeRepo', { repo: did }],
    ['com.core.sync.listBlobs', { did }],
    ['com.core.sync.getLatestCommit', { did }],
  ]
  const own: readonly (readonly [string, Record<string, string>])[] = [
    [app('feed.getTimeline'), { limit: '100' }],
    [app('notification.listNotifications'), { limit: '100' }],
    [app('notification.getUnreadCount'), {}],
    [app('notification.getPreferences'), {}],
    [app('notification.listActivitySubscriptions'), {}],
    [app('graph.getBlocks'), {}],
    [app('graph.getMutes'), {}],
    [app('graph.getListMutes'), {}],
    [app('graph.getListBlocks'), {}],
    [app('bookmark.getBookmarks'), {}],
    [app('draft.getDrafts'), {}],
    [app('actor.getPreferences'), {}],
  ]
  const answers: Record<string, unknown> = {}
  for (const [nsid, params] of viewer ? [...about, ...own] : about) {
    const answer = JSON.stringify(body(await server.get(nsid, params, viewer)))
    // The port of a test server changes with each start.
    answers[nsid] = JSON.parse(answer.replaceAll(server.url, 'https://pds.test'))
  }
  return answers
}
