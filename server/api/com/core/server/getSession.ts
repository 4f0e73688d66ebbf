import { com } from '../../../../../lexicons/generated/index.ts'
import { accountView } from '../../../../identity/auth/sessions.ts'
import type { SessionCredentials } from '../../../../identity/callers/credentials.ts'
import type { Account } from '../../../../store/tables/accounts.ts'
import { method } from '../../../method.ts'

/** An app sees the email address with a scope for it. */
function visibleAccount({ account, permissions }: SessionCredentials): Account {
  return permissions === undefined || permissions.allowsEmail() ? account : { ...account, email: null }
}

export const getSession = method(com.core.server.getSession, {
  auth: 'access or takendown',
  handler: async ({ auth, identity: { secrets, resolveDid }, config, origin }) => ({
    ...(await accountView({ config, resolveDid, origin }, visibleAccount(auth))),
    webPushKey: secrets.vapidKey.publicKey,
  }),
})
