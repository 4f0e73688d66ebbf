/** Drafts in the store, for tests that need many. */

import * as drafts from '../../../server/app/tables/drafts.ts'
import type { Database } from '../../../server/store/database.ts'
import * as actors from '../../../server/store/tables/actors.ts'

/** Stores drafts for an account that has none. */
export async function fillDrafts(store: Database, did: string, count: number): Promise<void> {
  await store.transact((tx) => {
    const account = actors.idOf(tx, did)
    if (account === undefined) throw new Error(`${did} has no account`)
    const draft = JSON.stringify({ posts: [{ text: 'A draft' }] })
    for (let n = 0; n < count; n++) {
      drafts.add(tx, account, { id: `${n}`, draft, at: '2030-01-01T00:00:00.000Z' })
    }
  })
}
