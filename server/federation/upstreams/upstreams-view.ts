/** Upstreams as the administrator sees them. */
import type { com } from '../../../lexicons/generated/index.ts'
import { iso } from '../../util/time.ts'
import type { Upstream } from './upstreams.ts'

export function upstreamView({
  addedAt,
  lastEventAt,
  progress,
  dropped,
  error,
  retryAt,
  ...rest
}: Upstream): com.core.admin.listUpstreams.Upstream {
  return {
    ...rest,
    addedAt: iso(addedAt),
    ...(lastEventAt && { lastEventAt: iso(lastEventAt) }),
    ...(progress && { progress }),
    ...(dropped && { dropped }),
    ...(error !== undefined && { error }),
    ...(retryAt && { retryAt: iso(retryAt) }),
  }
}
