/** Renders accounts with the fields for administrators. */
import type { com } from '../../../lexicons/generated/index.ts'
import type { Reader } from '../../store/database.ts'
import { activity } from '../../store/tables/account-status.ts'
import type { Account } from '../../store/tables/accounts.ts'
import type { DatetimeString } from '../../util/time.ts'
import * as inviteCodes from '../tables/invite-codes.ts'
import { inviteCodeViews } from './invite-codes.ts'
import { activationOf } from './unactivated.ts'

type AccountView = com.core.admin.defs.AccountView

/** Renders an account for lists, without its own invite codes. */
export function listedAccountView(db: Reader, account: Account): AccountView {
  const invite = account.inviteCode === null ? undefined : inviteCodes.find(db, account.inviteCode)
  return {
    did: account.did,
    handle: account.handle,
    email: account.email ?? undefined,
    emailConfirmedAt: (account.emailConfirmedAt as DatetimeString | null) ?? undefined,
    indexedAt: account.createdAt,
    invitedBy: invite && inviteCodeViews(db, [invite])[0],
    invitesDisabled: account.invitesDisabled === 1,
    inviteNote: account.inviteNote ?? undefined,
    deactivatedAt: (account.deactivatedAt as DatetimeString | null) ?? undefined,
    owner: account.isOwner === 1,
    ...activity(account),
    activation: activationOf(db, account),
  }
}

/** Renders an account with its invite codes. */
export function accountView(db: Reader, account: Account): AccountView {
  const invites = inviteCodeViews(db, inviteCodes.ofAccount(db, account.did))
  return { ...listedAccountView(db, account), invites }
}
