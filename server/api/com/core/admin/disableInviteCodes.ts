import { com } from '../../../../../lexicons/generated/index.ts'
import * as inviteCodes from '../../../../identity/tables/invite-codes.ts'
import { method } from '../../../method.ts'

export const disableInviteCodes = method(com.core.admin.disableInviteCodes, {
  auth: 'admin',
  async handler({ input, store }) {
    await store.transact((tx) => {
      for (const code of input.codes ?? []) inviteCodes.disable(tx, code)
      for (const account of input.accounts ?? []) inviteCodes.disableOfAccount(tx, account)
    })
  },
})
