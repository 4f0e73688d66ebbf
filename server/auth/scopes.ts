/** Scopes of session tokens. */
export const scopes = {
  /** Signed in with the account's password. */
  full: 'com.core.access',
  appPassword: 'com.core.appPass',
  privilegedAppPassword: 'com.core.appPassPrivileged',
  /** A taken-down account: it can only move to another server or be deleted. */
  takendown: 'com.core.takendown',
  refresh: 'com.core.refresh',
} as const

export type Scope = (typeof scopes)[keyof typeof scopes]
export type AccessScope = Exclude<Scope, typeof scopes.refresh>
