/** Scopes of session tokens. */
export const scopes = {
  /** Signed in with the account's password. */
  full: 'com.core.access',
  appPassword: 'com.core.appPass',
  privilegedAppPassword: 'com.core.appPassPrivileged',
  /** A taken-down account: it can only take its data, move to another server or be deleted. */
  takendown: 'com.core.takendown',
  /** An app that signed in by OAuth; `permissions` of its session limit it further. */
  oauth: 'com.core.oauth',
  refresh: 'com.core.refresh',
} as const

/** Whether a session was opened with the main password. */
export function isOfMainPassword(scope: string): boolean {
  return scope === scopes.full || scope === scopes.takendown
}

/** Whether a method imports an account. Services may compare names case-insensitively, so this does too. */
export function isImport(nsid: string): boolean {
  return /^com\.(?:core|atproto)\.server\.createaccount$/i.test(nsid)
}

/**
 * Whether an app password must be privileged to get a service token for a method: for moving the account, and for chat.
 */
export function needsPrivilege(nsid: string): boolean {
  return isImport(nsid) || /^chat\.(?:example|bsky)\./i.test(nsid)
}

/**
 * Whether a method manages accounts, identities or a server. Its server wants credentials of its own, so that no service token is
 * issued for it. Importing an account and resolving identities are no such methods.
 */
export function isManagement(nsid: string): boolean {
  return /^com\.(?:core|atproto)\.(?:admin\.|server\.(?!createaccount$)|identity\.(?!resolve|refreshidentity$))/i.test(
    nsid,
  )
}

export type Scope = (typeof scopes)[keyof typeof scopes]
export type AccessScope = Exclude<Scope, typeof scopes.refresh>
