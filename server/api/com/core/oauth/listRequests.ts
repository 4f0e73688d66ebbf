import { com } from '../../../../../lexicons/generated/index.ts'
import { pendingRequest, requestView } from '../../../../identity/oauth/view.ts'
import { waitingRequests } from '../../../../platform/store/tables/oauth.ts'
import { iso } from '../../../../platform/util/time.ts'
import { method } from '../../../method.ts'

export const listRequests = method(com.core.oauth.listRequests, {
  auth: 'full',
  // The app window asks every few seconds, so this does not load the authorization server.
  handler: ({ store, now }) => ({
    requests: waitingRequests(store, iso(now())).map((row) => requestView(pendingRequest(row))),
  }),
})
