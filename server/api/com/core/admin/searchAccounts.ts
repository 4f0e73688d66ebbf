import { com } from '../../../../../lexicons/generated/index.ts'
import { listedAccountView } from '../../../../identity/accounts/admin-view.ts'
import { decodeCursor, encodeCursor } from '../../../../platform/xrpc/cursor.ts'
import * as accounts from '../../../../store/tables/accounts.ts'
import { method } from '../../../method.ts'

export const searchAccounts = method(com.core.admin.searchAccounts, {
  auth: 'admin',
  handler({ params, store, fail }) {
    const { limit = 50, cursor } = params
    const key = cursor ? decodeCursor(cursor, 2) : undefined
    if (cursor && !key) throw fail('InvalidRequest', 'Malformed cursor')
    const [createdAt = '', did = ''] = key ?? []
    const text = params.email?.trim() ?? ''
    const after = { createdAt, did }
    const found =
      text === '' ? accounts.page(store, after, limit + 1) : accounts.search(store, text, after, limit + 1)
    const rows = found.slice(0, limit)
    const last = found.length > limit ? rows.at(-1) : undefined
    return {
      cursor: last && encodeCursor(last.createdAt, last.did),
      accounts: rows.map((account) => listedAccountView(store, account)),
    }
  },
})
