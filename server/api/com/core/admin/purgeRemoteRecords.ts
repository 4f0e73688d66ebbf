import { com } from '../../../../../lexicons/generated/index.ts'
import { method } from '../../../method.ts'

export const purgeRemoteRecords = method(com.core.admin.purgeRemoteRecords, {
  auth: 'admin',
  handler({ federation: { intake }, background }) {
    background.run('deletion of remote records', () => intake.purge())
  },
})
