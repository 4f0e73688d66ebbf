import { com } from '../../../../../lexicons/generated/index.ts'
import * as sessions from '../../../../identity/tables/sessions.ts'
import { method } from '../../../method.ts'

export const revokeSession = method(com.core.server.revokeSession, {
  auth: 'full',
  async handler({ input, auth, store }) {
    await store.transact((tx) => sessions.removeOwn(tx, auth.did, input.id))
  },
})
