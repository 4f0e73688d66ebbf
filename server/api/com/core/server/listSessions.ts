import { com } from '../../../../../lexicons/generated/index.ts'
import { grantsOfAccount } from '../../../../identity/tables/oauth.ts'
import * as sessions from '../../../../identity/tables/sessions.ts'
import { method } from '../../../method.ts'

export const listSessions = method(com.core.server.listSessions, {
  auth: 'full',
  handler({ auth, store, identity: { lastUsed, uses } }) {
    const usesOf = uses.ofAccount(auth.did)
    const grants = new Map(grantsOfAccount(store, auth.did).map((grant) => [grant.sessionId, grant]))
    const open = sessions.ofAccount(store, auth.did).map((session) => ({
      id: session.id,
      openedWith: openedWith(session, grants.has(session.id)),
      app: grants.get(session.id)?.clientId,
      scope: grants.get(session.id)?.scope,
      appPasswordName: session.appPasswordName ?? undefined,
      client: session.client ?? undefined,
      createdAt: session.createdAt,
      lastUsedAt: lastUsed.of(session),
      oldTokenUsedAt: session.oldTokenUsedAt ?? undefined,
      uses:
        session.appPasswordName === null ? usesOf({ sessionId: session.id }, session.createdAt) : undefined,
      current: session.id === auth.sessionId,
    }))
    // Unwritten uses change the order in which the store returned them.
    return { sessions: open.sort((one, other) => compare(other.lastUsedAt, one.lastUsedAt)) }
  },
})

function openedWith({ appPasswordName }: sessions.Session, isApp: boolean): string {
  if (isApp) return 'oauth'
  return appPasswordName === null ? 'password' : 'appPassword'
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}
