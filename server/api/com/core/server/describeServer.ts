import { com } from '../../../../../lexicons/generated/index.ts'
import * as accounts from '../../../../store/tables/accounts.ts'
import { method } from '../../../method.ts'

export const describeServer = method(com.core.server.describeServer, {
  auth: 'none',
  handler({ config, serverDid, store }) {
    return {
      did: serverDid,
      availableUserDomains: [...config.userDomains],
      inviteCodeRequired: config.inviteRequired,
      phoneVerificationRequired: false,
      unclaimed: accounts.isEmpty(store),
      links: { privacyPolicy: config.privacyUrl, termsOfService: config.termsUrl },
      contact: { email: config.contactEmail },
    }
  },
})
