import type { DidString } from '@atproto/syntax'
import { app } from '../../../../../lexicons/generated/index.ts'
import * as mutes from '../../../../app/tables/mutes.ts'
import { activeProfiles } from '../../../../app/views/show/actor-lists.ts'
import * as graph from '../../../../federation/tables/graph.ts'
import { decodeCursor, encodeCursor } from '../../../../platform/xrpc/cursor.ts'
import { instant, iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

export const getMutes = method(app.example.graph.getMutes, {
  auth: 'access',
  handler({ params, auth, caller, store, app: { viewContext }, fail }) {
    const { cursor, limit } = params
    const before = cursor ? readCursor(cursor) : undefined
    if (cursor && !before) throw fail('InvalidRequest', 'Malformed cursor')
    const found = mutes.page(store, auth.did, before, limit + 1)
    const page = found.slice(0, limit)
    const last = found.length > limit ? page.at(-1) : undefined
    const ctx = viewContext(caller.origin, auth.did)
    const ids = graph.actorIds(
      store,
      page.map(({ subject }) => subject),
    )
    const shown = page.flatMap(({ subject }) => ids.get(subject) ?? [])
    return {
      mutes: activeProfiles(ctx, shown),
      cursor: last && encodeCursor(last.createdAt, last.subject),
    }
  },
})

function readCursor(cursor: string): mutes.Mute | undefined {
  const [at = '', subject = ''] = decodeCursor(cursor, 2) ?? []
  const createdAt = instant(at)
  return createdAt && { createdAt: iso(createdAt), subject: subject as DidString }
}
