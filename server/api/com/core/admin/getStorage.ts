import { com } from '../../../../../lexicons/generated/index.ts'
import { lastDays, measureStorage } from '../../../../operation/jobs/storage-days.ts'
import * as storageDays from '../../../../operation/tables/storage-days.ts'
import { method } from '../../../method.ts'

export const getStorage = method(com.core.admin.getStorage, {
  auth: 'admin',
  limits: [{ points: 60, seconds: 60, per: 'account' }],
  async handler({ store, clock, now, operation }) {
    const [since, today] = lastDays(now())
    const earlier = storageDays.ofServer(store, since, today).filter(({ day }) => day < today)
    const measured = await measureStorage({ store, clock, now, operation })
    return { days: [...earlier, measured].map(({ free, ...day }) => ({ ...day, free: free ?? undefined })) }
  },
})
