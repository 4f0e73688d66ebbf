/** The auth words of methods, and the credentials that each passes to the handler. */
import type { DidString } from '@atproto/syntax'
import { type AccessScope, scopes } from '../auth/scopes.ts'
import type { Permissions } from '../oauth/permissions.ts'
import type { OpenSession } from '../tables/sessions.ts'

/** From an access token: its session and account, read from the store for this request. */
export interface SessionCredentials {
  readonly did: DidString
  readonly sessionId: string
  readonly scope: AccessScope
  /** When the token expires, in milliseconds since the epoch. */
  readonly expiresAt: number
  readonly account: OpenSession
  /** Limits of the session beyond its scope; undefined: none. */
  readonly permissions: Permissions | undefined
}

/** From a refresh token. The handler checks in its transaction whether `jti` is still valid. */
export interface RefreshCredentials {
  readonly did: DidString
  readonly sessionId: string
  readonly jti: string
  /** Returns its session with the account as they are now; undefined if it has ended. */
  readonly findSession: () => OpenSession | undefined
}

/** From any token, for signing out. The session may have ended already. */
export interface EndingCredentials {
  readonly sessionId: string
}

/** From the owner's full session or the admin password. */
export interface AdminCredentials {
  /** DID of the owner; undefined for the admin password. */
  readonly did: DidString | undefined
  /** The session of the owner; absent for the admin password. */
  readonly session?: SessionCredentials
}

/** The reader of data that may belong to an inactive account. */
export interface ReaderCredentials {
  /** DID of the session; undefined for the admin password. */
  readonly did: DidString | undefined
  /** Whether it is the owner's full session or the admin password. */
  readonly isAdmin: boolean
}

/** From an access token, or from a service token that an account handed to a service. */
export interface UploadCredentials extends Pick<SessionCredentials, 'did' | 'permissions'> {}

/** Who creates an account. */
export interface SignUpCredentials {
  /** A token in the Authorization header; the handler verifies it. */
  readonly serviceToken: string | undefined
  /** Whether the header has the admin password. */
  readonly isAdmin: boolean
}

export interface CredentialsByWord {
  /** Anyone. */
  none: undefined
  /** Anyone; credentials are passed when there is an access token. */
  optional: SessionCredentials | undefined
  /** Anyone; credentials are passed when there is an access token, also of a taken-down account, or the admin password. */
  reader: ReaderCredentials | undefined
  /** A signed-in account: full session or app password. */
  access: SessionCredentials
  /** As `access`, and a service with a token of the account for an upload. */
  upload: UploadCredentials
  /** As `access`, and the session of a taken-down account. */
  'access or takendown': SessionCredentials
  /** A session opened with the account's password. */
  full: SessionCredentials
  /** As `full`, and the session of a taken-down account. */
  'full or takendown': SessionCredentials
  /** A refresh token. */
  refresh: RefreshCredentials
  /** An access or refresh token, expired or not. */
  ending: EndingCredentials
  /** The owner, or the admin password. */
  admin: AdminCredentials
  /** Anyone; a service token proves the import of an account, the admin password permits the first one. */
  import: SignUpCredentials
}

export type AuthWord = keyof CredentialsByWord

const anyApp = [scopes.appPassword, scopes.privilegedAppPassword, scopes.oauth]

/** The token scopes that each auth word accepts. */
export const scopesOf: ReadonlyMap<AuthWord, ReadonlySet<string>> = new Map([
  ['optional', new Set([scopes.full, ...anyApp])],
  ['reader', new Set([scopes.full, ...anyApp, scopes.takendown])],
  ['access', new Set([scopes.full, ...anyApp])],
  ['upload', new Set([scopes.full, ...anyApp])],
  ['access or takendown', new Set([scopes.full, ...anyApp, scopes.takendown])],
  ['full', new Set([scopes.full])],
  ['full or takendown', new Set([scopes.full, scopes.takendown])],
])
