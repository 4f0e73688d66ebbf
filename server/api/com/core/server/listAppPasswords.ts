import { com } from '../../../../../lexicons/generated/index.ts'
import * as appPasswords from '../../../../store/tables/app-passwords.ts'
import { method } from '../../../method.ts'

export const listAppPasswords = method(com.core.server.listAppPasswords, {
  auth: 'access',
  handler({ auth, store }) {
    const passwords = appPasswords.ofAccount(store, auth.did).map((row) => ({
      name: row.name,
      createdAt: row.createdAt,
      privileged: row.privileged === 1,
      lastUsedAt: row.lastUsedAt ?? undefined,
    }))
    return { passwords }
  },
})
