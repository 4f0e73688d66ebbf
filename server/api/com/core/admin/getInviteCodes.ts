import { com } from '../../../../../lexicons/generated/index.ts'
import { inviteCodeViews } from '../../../../identity/accounts/invite-codes.ts'
import * as inviteCodes from '../../../../identity/tables/invite-codes.ts'
import { decodeCursor, encodeCursor } from '../../../../platform/xrpc/cursor.ts'
import type { Reader } from '../../../../store/database.ts'
import { method } from '../../../method.ts'

export const getInviteCodes = method(com.core.admin.getInviteCodes, {
  auth: 'admin',
  handler({ params, store, fail }) {
    const { sort = 'recent', limit = 100, cursor } = params
    const key = cursor ? decodeCursor(cursor, 3) : undefined
    if (cursor && key?.[0] !== sort) throw fail('InvalidRequest', 'Malformed cursor')
    const [, position = '', code = ''] = key ?? []
    const after = key && { position, code }
    const found = sort === 'usage' ? byUsage(store, after, limit + 1) : byTime(store, after, limit + 1)
    const rows = found.slice(0, limit)
    const last = found.length > limit ? rows.at(-1) : undefined
    return {
      cursor: last && encodeCursor(sort, last.position, last.code),
      codes: inviteCodeViews(store, rows),
    }
  },
})

/** The key of the last code of a page. */
interface Key {
  readonly position: string
  readonly code: string
}

function byTime(db: Reader, after: Key | undefined, limit: number) {
  const key = after && { createdAt: after.position, code: after.code }
  return inviteCodes.newest(db, key, limit).map((code) => ({ ...code, position: code.createdAt }))
}

function byUsage(db: Reader, after: Key | undefined, limit: number) {
  const key = after && { uses: Number(after.position), code: after.code }
  return inviteCodes.mostUsed(db, key, limit).map((code) => ({ ...code, position: String(code.uses) }))
}
