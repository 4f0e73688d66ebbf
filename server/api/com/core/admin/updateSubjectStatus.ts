import { com } from '../../../../../lexicons/generated/index.ts'
import { keepAccount, prepareActivation } from '../../../../identity/accounts/activate.ts'
import { subjectStatus } from '../../../../identity/accounts/subject-status.ts'
import { blobSubject, recordSubject, takedownStatus } from '../../../../identity/accounts/takedown-status.ts'
import * as sessions from '../../../../identity/tables/sessions.ts'
import { emitStatusChange } from '../../../../repository/events/emit.ts'
import type { Reader } from '../../../../store/database.ts'
import { statusOf } from '../../../../store/tables/account-status.ts'
import * as accounts from '../../../../store/tables/accounts.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

const { repoRef, repoBlobRef } = com.core.admin.defs
const { strongRef } = com.core.repo

export const updateSubjectStatus = method(com.core.admin.updateSubjectStatus, {
  auth: 'admin',
  async handler({ input, auth, fail, identity, ...platform }) {
    const { store, names, now } = platform
    const { takedown, suspended, deactivated } = input
    const { subject } = input
    if (!takedown && !suspended && !deactivated)
      throw fail('InvalidRequest', 'Name a status to change: takedown, suspended or deactivated')
    if (!repoRef.$matches(subject)) {
      if (suspended || deactivated) {
        throw fail('InvalidRequest', 'Only an account can be suspended or deactivated')
      }
      const find = strongRef.$isTypeOf(subject)
        ? (tx: Reader) => recordSubject(tx, names, subject.uri)
        : repoBlobRef.$isTypeOf(subject)
          ? (tx: Reader) => blobSubject(tx, subject.did, subject.cid)
          : undefined
      if (!find) throw fail('InvalidRequest', 'The subject must be an account, a record or a blob')
      return store.transact((tx) => {
        const found = find(tx)
        if (!found) throw fail('NotFound', 'Record or blob not found')
        if (takedown) found.set(tx, takedown.applied ? { ref: takedown.ref ?? null } : undefined)
        return { ...takedownStatus(tx, found), subject }
      })
    }
    const { did } = subject
    if (did === auth.did && (takedown?.applied || suspended?.applied)) {
      throw fail(
        'InvalidRequest',
        'You cannot take down or suspend your own account. Use the admin password.',
      )
    }
    const existing = accounts.findByDid(store, did)
    if (existing && deactivated?.applied === false) {
      await keepAccount(platform, existing)
      await prepareActivation({ ...platform, ...identity }, existing)
    }
    const account = await store.transact((tx) => {
      const before = accounts.findByDid(tx, did)
      if (!before) throw fail('NotFound', 'Account not found')
      const time = now()
      const at = iso(time)
      if (takedown) {
        accounts.setTakedown(tx, did, takedown.applied ? at : null, takedown.ref ?? null)
        // A takedown ends all sessions; lifting it ends sessions opened during it, which have a limited scope.
        if (takedown.applied !== (before.takenDownAt !== null)) sessions.removeOfAccount(tx, did)
      }
      if (suspended) accounts.setSuspension(tx, did, suspended.applied ? at : null, suspended.ref ?? null)
      if (deactivated?.applied) accounts.deactivate(tx, did, at, null)
      else if (deactivated) accounts.activate(tx, did)
      emitStatusChange(tx, did, statusOf(before), time)
      return accounts.findByDid(tx, did)
    })
    if (!account) throw fail('NotFound')
    return { ...subjectStatus(account), subject }
  },
})
