import { com } from '../../../../../lexicons/generated/index.ts'
import { isDidValid } from '../../../../accounts/did-status.ts'
import { statusOf } from '../../../../accounts/status.ts'
import type { DatetimeString } from '../../../../time.ts'
import { method } from '../../../method.ts'

export const checkAccountStatus = method(com.core.server.checkAccountStatus, {
  auth: 'access',
  async handler({ auth, ...services }) {
    return {
      activated: statusOf(auth.account) === undefined,
      deleteAfter: (auth.account.deleteAfter as DatetimeString | null) ?? undefined,
      validDid: await isDidValid(services, auth.account),
      repoBlocks: 0,
      indexedRecords: 0,
      privateStateValues: 0,
      expectedBlobs: 0,
      importedBlobs: 0,
    }
  },
})
