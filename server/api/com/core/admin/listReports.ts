import { com } from '../../../../../lexicons/generated/index.ts'
import * as reports from '../../../../app/tables/reports.ts'
import { takePageBy } from '../../../../app/views/find/pages.ts'
import * as graph from '../../../../federation/tables/graph.ts'
import * as actors from '../../../../store/tables/actors.ts'
import { method } from '../../../method.ts'

const { repoRef } = com.core.admin.defs
const { strongRef } = com.core.repo

export const listReports = method(com.core.admin.listReports, {
  auth: 'admin',
  handler({ params, store }) {
    const { items, cursor } = takePageBy(
      params,
      (page) => reports.page(store, params.closed ?? false, page),
      ({ id }) => id,
    )
    const handleOf = (did: string) => {
      const id = actors.idOf(store, did)
      return id === undefined ? undefined : (graph.actors(store, [id])[0]?.handle ?? undefined)
    }
    return {
      cursor,
      reports: items.map(({ did, uri, cid, reason, closedAt, resolution, ...report }) => ({
        ...report,
        reason: reason ?? undefined,
        subject: uri === null || cid === null ? repoRef.$build({ did }) : strongRef.$build({ uri, cid }),
        subjectHandle: handleOf(did),
        closedAt: closedAt ?? undefined,
        resolution: resolution ?? undefined,
      })),
    }
  },
})
