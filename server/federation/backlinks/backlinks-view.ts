/** The state of the backlink services as clients see it. */
import type { com } from '../../../lexicons/generated/index.ts'
import { iso } from '../../util/time.ts'
import type { Backlinks } from './backlinks.ts'

export function backlinkView(backlinks: Pick<Backlinks, 'state'>): com.core.admin.getNetwork.Backlinks {
  const { lastLinkAt, lastCatchUpAt, ...state } = backlinks.state()
  return {
    ...state,
    lastLinkAt: lastLinkAt && iso(lastLinkAt),
    lastCatchUpAt: lastCatchUpAt && iso(lastCatchUpAt),
  }
}
