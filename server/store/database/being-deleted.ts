/** Accounts that are being deleted: they are hidden behind a prefix of their DID until their rows are removed. */

/** No DID begins like this. */
export const prefix = 'deleting:'

/** SQL condition: whether the account `a` is not being deleted. */
export const isNotBeingDeleted = `a.did NOT LIKE '${prefix}%'`
