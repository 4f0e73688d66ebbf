/**
 * Why something of another server is left out. `local`: its author has an account here. `unknown`: nothing of its author is stored, and
 * nothing here refers to the author. `unrelated`: it has nothing to do with the accounts here. `unwelcome`: the accounts that it refers
 * to mute or block its author. `unreadable`: it is no valid record of its collection.
 */
export type Reason = 'local' | 'unknown' | 'unrelated' | 'unwelcome' | 'unreadable'

/** Whether an event or an unread record is kept, to be verified and read. */
export type Decision = { readonly keep: true } | LeftOut

/**
 * Why a record is stored: it refers to an account here, an account here watches its author, or a record refers to it. Records for the
 * last two purposes may be evicted.
 */
export type Purpose = 'lasting' | 'feed' | 'subject'

/** Whether a record is stored. */
export type RecordDecision = { readonly keep: true; readonly purpose: Purpose } | LeftOut

interface LeftOut {
  readonly keep: false
  readonly reason: Reason
}

export const keep: Decision = { keep: true }
export const keepFor = (purpose: Purpose): RecordDecision => ({ keep: true, purpose })
export const leaveOut = (reason: Reason): LeftOut => ({ keep: false, reason })
