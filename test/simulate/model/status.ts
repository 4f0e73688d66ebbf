/** The status of an account. */

export interface Status {
  readonly isDeactivated: boolean
  /** When the holder wants it to be deleted, in ISO 8601. */
  readonly deleteAfter: string | undefined
  readonly isSuspended: boolean
  readonly isTakenDown: boolean
  readonly isDeleted: boolean
}

export const activeStatus: Status = {
  ...{ isDeactivated: false, deleteAfter: undefined },
  ...{ isSuspended: false, isTakenDown: false, isDeleted: false },
}

/** Returns the word by which servers report it. */
export function wordOf({ isDeactivated, isSuspended, isTakenDown, isDeleted }: Status): string {
  if (isDeleted) return 'deleted'
  if (isTakenDown) return 'takendown'
  if (isSuspended) return 'suspended'
  return isDeactivated ? 'deactivated' : 'active'
}

/** Returns what may be true after a change whose answer was lost. */
export function maybeChanged(
  statuses: readonly Status[],
  change: (status: Status) => Status,
): readonly Status[] {
  const all = [...statuses, ...statuses.map(change)]
  return [...new Map(all.map((status) => [JSON.stringify(status), status])).values()]
}
