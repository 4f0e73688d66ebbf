import { com } from '../../../../../lexicons/generated/index.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

export const getConformance = method(com.core.admin.getConformance, {
  auth: 'admin',
  handler({ operation: { conformance } }) {
    const state = conformance.state()
    if (!state) return { running: false, total: 0, results: [] }
    const { isRunning, startedAt, endedAt, url, total, end, reason, results } = state
    return {
      ...{ running: isRunning, startedAt: iso(startedAt), endedAt: endedAt && iso(endedAt) },
      ...{ url, total, end, reason },
      results: results.map(({ expected: _, ms, ...result }) => ({ ...result, milliseconds: ms })),
    }
  },
})
