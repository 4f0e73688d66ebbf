import { com } from '../../../../../lexicons/generated/index.ts'
import { isAtThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { waitingView } from '../../../../identity/oauth/request-view.ts'
import { waitingRequests } from '../../../../identity/tables/oauth.ts'
import { identifiersOf } from '../../../../repository/access/identifier.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

export const listRequests = method(com.core.oauth.listRequests, {
  auth: 'full',
  // The app window asks every few seconds, so this does not load the authorization server.
  handler({ store, now, auth: { account }, caller }) {
    const isOwnerHere = account.isOwner === 1 && isAtThisComputer(caller)
    const waiting = waitingRequests(store, iso(now()), identifiersOf(account), isOwnerHere)
    return { requests: waiting.flatMap((row) => waitingView(row) ?? []) }
  },
})
