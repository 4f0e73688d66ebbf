import { com } from '../../../../../lexicons/generated/index.ts'
import * as sessions from '../../../../store/tables/sessions.ts'
import { method } from '../../../method.ts'

export const listSessions = method(com.core.server.listSessions, {
  auth: 'full',
  handler({ auth, store }) {
    const open = sessions.ofAccount(store, auth.did).map((session) => ({
      id: session.id,
      openedWith: session.appPasswordName === null ? 'password' : 'appPassword',
      appPasswordName: session.appPasswordName ?? undefined,
      client: session.client ?? undefined,
      createdAt: session.createdAt,
      lastUsedAt: session.lastUsedAt,
      current: session.id === auth.sessionId,
    }))
    return { sessions: open }
  },
})
