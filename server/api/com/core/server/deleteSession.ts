import { com } from '../../../../../lexicons/generated/index.ts'
import * as sessions from '../../../../identity/tables/sessions.ts'
import { method } from '../../../method.ts'

export const deleteSession = method(com.core.server.deleteSession, {
  auth: 'ending',
  async handler({ auth, store }) {
    await store.transact((tx) => sessions.remove(tx, auth.sessionId))
  },
})
