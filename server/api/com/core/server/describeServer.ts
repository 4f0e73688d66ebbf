import { com } from '../../../../../lexicons/generated/index.ts'
import { isAtServer, needsInvite } from '../../../../identity/accounts/sign-up.ts'
import * as accounts from '../../../../store/tables/accounts.ts'
import { method } from '../../../method.ts'

export const describeServer = method(com.core.server.describeServer, {
  auth: 'none',
  reads: ['accounts'],
  handler({ config, serverDid, store, caller, isForTests }) {
    return {
      did: serverDid,
      availableUserDomains: [...config.userDomains],
      inviteCodeRequired: needsInvite(store, config, caller),
      phoneVerificationRequired: false,
      blobUploadLimit: config.blobUploadLimit,
      unclaimed: isAtServer(caller) ? accounts.isEmpty(store) : undefined,
      isForTests,
      mailDelivery: config.smtpUrl === undefined ? 'outbox' : 'mail',
      links: { privacyPolicy: config.privacyUrl, termsOfService: config.termsUrl },
      contact: { email: config.contactEmail },
    }
  },
})
