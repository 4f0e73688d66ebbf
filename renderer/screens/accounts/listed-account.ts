import type { com } from '../../../lexicons/generated/index.ts'
import type { Body } from '../../api/client.ts'

/** An account as its server's owner sees it. */
export type ListedAccount = Body<typeof com.core.admin.listAccounts.main>['accounts'][number]
