import { com } from '../../../../../lexicons/generated/index.ts'
import { ofAccount } from '../../../../identity/tables/security-changes.ts'
import { method } from '../../../method.ts'

export const listSecurityChanges = method(com.core.server.listSecurityChanges, {
  auth: 'full',
  handler: ({ auth, store }) => ({
    changes: ofAccount(store, auth.did).map(({ change, client, isAdmin, changedAt }) => ({
      ...{ change, changedAt, byAdmin: isAdmin === 1 },
      client: client ?? undefined,
    })),
  }),
})
