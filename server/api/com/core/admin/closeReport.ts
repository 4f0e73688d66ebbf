import { com } from '../../../../../lexicons/generated/index.ts'
import * as reports from '../../../../app/tables/reports.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

export const closeReport = method(com.core.admin.closeReport, {
  auth: 'admin',
  async handler({ input, store, now, fail }) {
    const { id, resolution } = input
    const isClosed = await store.transact((tx) => reports.close(tx, id, resolution, iso(now())))
    if (!isClosed) throw fail('ReportNotFound', 'This report is already closed, or its reporter has left')
  },
})
