import { com } from '../../../../../lexicons/generated/index.ts'
import { accountView } from '../../../../identity/auth/sessions.ts'
import { method } from '../../../method.ts'

export const getSession = method(com.core.server.getSession, {
  auth: 'access or takendown',
  handler: async ({ auth, identity: { secrets, resolveDid }, config, origin }) => ({
    ...(await accountView({ config, resolveDid, origin }, auth.account)),
    webPushKey: secrets.vapidKey.publicKey,
  }),
})
