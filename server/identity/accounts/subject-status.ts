/** Renders the status of an account for getSubjectStatus and updateSubjectStatus. */
import type { Account } from '../../store/tables/accounts.ts'

export function subjectStatus(account: Account) {
  const attribute = (at: string | null, ref: string | null) => ({
    applied: at !== null,
    ref: ref ?? undefined,
  })
  return {
    subject: { $type: 'com.core.admin.defs#repoRef' as const, did: account.did },
    takedown: attribute(account.takenDownAt, account.takedownRef),
    suspended: attribute(account.suspendedAt, account.suspensionRef),
    deactivated: attribute(account.deactivatedAt, null),
  }
}
