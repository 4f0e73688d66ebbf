/** Scopes of session tokens. */
export const scopes = {
  /** Signed in with the account's password. */
  full: 'com.core.access',
  appPassword: 'com.core.appPass',
  privilegedAppPassword: 'com.core.appPassPrivileged',
  /** A taken-down account that signed in to leave. */
  takendown: 'com.core.takendown',
  refresh: 'com.core.refresh',
} as const

export type Scope = (typeof scopes)[keyof typeof scopes]
export type AccessScope = Exclude<Scope, typeof scopes.refresh>
