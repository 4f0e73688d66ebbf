/** The closed set of words that say who may call a method, and what each gives to the handler. */
import type { DidString } from '@atproto/syntax'
import type { OpenSession } from '../store/tables/sessions.ts'
import { type AccessScope, scopes } from './scopes.ts'

/** Somebody with an access token: the session and the account as they are at this moment. */
export interface SessionCredentials {
  readonly did: DidString
  readonly sessionId: string
  readonly scope: AccessScope
  /** When the token expires, in milliseconds since the epoch. */
  readonly expiresAt: number
  readonly account: OpenSession
}

/** Somebody with a refresh token. Whether its `jti` is still good is for the handler, within its transaction. */
export interface RefreshCredentials {
  readonly did: DidString
  readonly sessionId: string
  readonly jti: string
}

/** Who ends a session; undefined session data means that it has ended already. */
export interface EndingCredentials {
  readonly sessionId: string
}

/** The owner with a full session, or whoever knows the admin password. */
export interface AdminCredentials {
  /** DID of the owner; undefined with the admin password. */
  readonly did: DidString | undefined
}

/** A service token that may come along; the handler verifies it. */
export interface ServiceCredentials {
  readonly serviceToken: string | undefined
}

export interface CredentialsByWord {
  /** Anyone. */
  none: undefined
  /** Anyone; who comes with an access token is known by it. */
  optional: SessionCredentials | undefined
  /** A signed-in account: full session or app password. */
  access: SessionCredentials
  /** As `access`, and a taken-down account's narrow session. */
  'access or takendown': SessionCredentials
  /** A session opened with the account's password. */
  full: SessionCredentials
  /** As `full`, and a taken-down account's narrow session. */
  'full or takendown': SessionCredentials
  /** A refresh token. */
  refresh: RefreshCredentials
  /** A session's access or refresh token, be it expired. */
  ending: EndingCredentials
  /** The owner, or the admin password. */
  admin: AdminCredentials
  /** Anyone; with a service token, somebody who imports an account. */
  import: ServiceCredentials
}

export type AuthWord = keyof CredentialsByWord

const anyAppPassword = [scopes.appPassword, scopes.privilegedAppPassword]

/** Which scopes satisfy a word that wants an access token. */
export const scopesOf: ReadonlyMap<AuthWord, ReadonlySet<string>> = new Map([
  ['optional', new Set([scopes.full, ...anyAppPassword])],
  ['access', new Set([scopes.full, ...anyAppPassword])],
  ['access or takendown', new Set([scopes.full, ...anyAppPassword, scopes.takendown])],
  ['full', new Set([scopes.full])],
  ['full or takendown', new Set([scopes.full, scopes.takendown])],
])
