import type { com } from '../../../lexicons/generated/index.ts'
import type { Body } from '../../api/client.ts'

/** An account in the list of the owner. */
export type ListedAccount = Body<typeof com.core.admin.listAccounts.main>['accounts'][number]
