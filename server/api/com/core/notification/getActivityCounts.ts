import { com } from '../../../../../lexicons/generated/index.ts'
import { preferencesOf, wantedBy } from '../../../../app/notifications/preferences.ts'
import { countByPeriod } from '../../../../app/tables/notifications.ts'
import { method } from '../../../method.ts'

export const getActivityCounts = method(com.core.notification.getActivityCounts, {
  auth: 'access',
  handler({ params: { starts }, auth: { did }, store, fail }) {
    const times = starts.map((start) => Date.parse(start))
    const isAscending = times.every((time, at) => at === 0 || time > (times[at - 1] ?? time))
    if (!isAscending) throw fail('InvalidRequest', 'Parameter starts: must be in ascending order')
    const wanted = wantedBy(preferencesOf(store, did), 'list')
    const counted = Map.groupBy(countByPeriod(store, { did, wanted, starts: times }), ({ period }) => period)
    return {
      periods: starts.map((start, period) => ({
        start,
        counts: counted.get(period)?.map(({ reason, count }) => ({ reason, count })) ?? [],
      })),
    }
  },
})
