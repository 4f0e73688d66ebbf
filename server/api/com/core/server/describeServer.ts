import { com } from '../../../../../lexicons/generated/index.ts'
import { method } from '../../../method.ts'

export const describeServer = method(com.core.server.describeServer, {
  auth: 'none',
  handler({ config, serverDid }) {
    return {
      did: serverDid,
      availableUserDomains: [...config.userDomains],
      inviteCodeRequired: config.inviteRequired,
      phoneVerificationRequired: false,
      links: { privacyPolicy: config.privacyUrl, termsOfService: config.termsUrl },
      contact: { email: config.contactEmail },
    }
  },
})
