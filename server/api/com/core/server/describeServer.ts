import { com } from '../../../../../lexicons/generated/index.ts'
import { needsInvite } from '../../../../accounts/invite-codes.ts'
import * as accounts from '../../../../store/tables/accounts.ts'
import { method } from '../../../method.ts'

export const describeServer = method(com.core.server.describeServer, {
  auth: 'none',
  handler({ config, serverDid, store, caller }) {
    return {
      did: serverDid,
      availableUserDomains: [...config.userDomains],
      inviteCodeRequired: needsInvite(config, caller),
      phoneVerificationRequired: false,
      blobUploadLimit: config.blobUploadLimit,
      unclaimed: accounts.isEmpty(store),
      links: { privacyPolicy: config.privacyUrl, termsOfService: config.termsUrl },
      contact: { email: config.contactEmail },
    }
  },
})
