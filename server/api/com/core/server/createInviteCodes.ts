import { com } from '../../../../../lexicons/generated/index.ts'
import { inviteHolder, inviteTerms, newCode } from '../../../../identity/accounts/invite-codes.ts'
import * as inviteCodes from '../../../../identity/tables/invite-codes.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

const maxCodesPerCall = 100

export const createInviteCodes = method(com.core.server.createInviteCodes, {
  auth: 'admin',
  active: true,
  async handler({ input, auth, store, origin, now, fail }) {
    const createdBy = auth.did ?? 'admin'
    const wanted = input.forAccounts?.length ? input.forAccounts : [createdBy]
    const holders = new Set(wanted.map(inviteHolder))
    if (holders.has(undefined)) throw fail('InvalidRequest', 'forAccounts must be DIDs, or admin')
    if (input.codeCount * holders.size > maxCodesPerCall) {
      throw fail('InvalidRequest', `A call can create ${maxCodesPerCall} codes at most`)
    }
    const at = now()
    const terms = inviteTerms(input, at)
    if (terms === undefined) throw fail('InvalidRequest', 'expiresAt must be within a year from now')
    const codes = [...holders].map((account = '') => ({
      account,
      codes: Array.from({ length: input.codeCount }, () => newCode(origin)),
    }))
    const createdAt = iso(at)
    await store.transact((tx) => {
      for (const { account, codes: ofAccount } of codes) {
        for (const code of ofAccount) {
          const row = {
            code,
            available: input.useCount,
            disabled: 0,
            forAccount: account,
            createdBy,
            createdAt,
            ...terms,
          }
          inviteCodes.insert(tx, row, false)
        }
      }
    })
    return { codes }
  },
})
