import { com } from '../../../../../lexicons/generated/index.ts'
import { scopes } from '../../../../identity/auth/scopes.ts'
import * as appPasswords from '../../../../identity/tables/app-passwords.ts'
import { method } from '../../../method.ts'

export const revokeAppPassword = method(com.core.server.revokeAppPassword, {
  auth: 'access',
  async handler({ input, auth, store, fail }) {
    const name = input.name.trim()
    const isOwn = auth.account.appPasswordName === name
    if (auth.scope !== scopes.full && !isOwn) throw fail('InvalidToken', 'Bad token scope')
    await store.transact((tx) => appPasswords.remove(tx, auth.did, name))
  },
})
