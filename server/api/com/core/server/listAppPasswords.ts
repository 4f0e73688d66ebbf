import { com } from '../../../../../lexicons/generated/index.ts'
import { limitOf } from '../../../../identity/auth/app-passwords.ts'
import { scopes } from '../../../../identity/auth/scopes.ts'
import * as appPasswords from '../../../../identity/tables/app-passwords.ts'
import * as sessions from '../../../../identity/tables/sessions.ts'
import type { DatetimeString } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

export const listAppPasswords = method(com.core.server.listAppPasswords, {
  auth: 'access',
  handler({ auth, store, identity: { lastUsed, uses } }) {
    // An app learns nothing of what others do.
    const usesOf = auth.scope === scopes.full ? uses.ofAccount(auth.did) : undefined
    // The stored time outlives the session, but the use of an open session may not be stored yet.
    const lastUses = new Map<string, DatetimeString>()
    for (const session of sessions.ofAccount(store, auth.did)) {
      const at = lastUsed.of(session)
      const name = session.appPasswordName
      if (name !== null && at > (lastUses.get(name) ?? '')) lastUses.set(name, at)
    }
    const passwords = appPasswords.ofAccount(store, auth.did).map((row) => ({
      name: row.name,
      createdAt: row.createdAt,
      privileged: row.privileged === 1,
      limit: limitOf(row.permissions),
      uses: usesOf?.({ appPasswordName: row.name }, row.createdAt),
      lastUsedAt: later(lastUses.get(row.name), row.lastUsedAt ?? undefined),
    }))
    return { passwords }
  },
})

function later(one: DatetimeString | undefined, other: DatetimeString | undefined) {
  return one === undefined || (other !== undefined && other > one) ? other : one
}
