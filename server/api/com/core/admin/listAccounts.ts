import { com } from '../../../../../lexicons/generated/index.ts'
import { activationOf } from '../../../../identity/accounts/unactivated.ts'
import * as inviteCodes from '../../../../identity/tables/invite-codes.ts'
import { decodeCursor, encodeCursor } from '../../../../platform/xrpc/cursor.ts'
import { activity } from '../../../../store/tables/account-status.ts'
import * as accounts from '../../../../store/tables/accounts.ts'
import { method } from '../../../method.ts'

export const listAccounts = method(com.core.admin.listAccounts, {
  auth: 'admin',
  handler({ params, store, fail }) {
    const limit = params.limit ?? 50
    const after = params.cursor === undefined ? undefined : decodeCursor(params.cursor, 2)
    if (params.cursor !== undefined && !after) throw fail('InvalidRequest', 'Malformed cursor')
    const [createdAt = '', did = ''] = after ?? []
    const found = accounts.page(store, { createdAt, did }, limit + 1)
    const rows = found.slice(0, limit)
    const last = found.length > limit ? rows.at(-1) : undefined
    return {
      total: accounts.count(store),
      cursor: last && encodeCursor(last.createdAt, last.did),
      accounts: rows.map((account) => ({
        did: account.did,
        handle: account.handle,
        email: account.email ?? undefined,
        emailConfirmed: account.email === null ? undefined : account.emailConfirmedAt !== null,
        createdAt: account.createdAt,
        owner: account.isOwner === 1,
        ...activity(account),
        activation: activationOf(store, account),
        invitedBy:
          account.inviteCode === null ? undefined : inviteCodes.find(store, account.inviteCode)?.forAccount,
      })),
    }
  },
})
