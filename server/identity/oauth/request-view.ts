/** Requests of apps as rows of the store, and as the page shows them on which a person decides. */

import type { DatetimeString } from '../../util/time.ts'
import type { AuthorizationRequest } from '../tables/oauth.ts'

/** A valid request, as its client pushed it. */
export interface RequestParameters {
  readonly redirectUri: string
  readonly responseMode: 'query' | 'fragment'
  readonly state: string | undefined
  /** Requested scopes that this server understands, separated by spaces. */
  readonly scope: string
  /** The same, with what permission sets contain instead of their names. */
  readonly permissions: string
  /** SHA-256 of the code verifier, in base64url (RFC 7636, `S256`). */
  readonly codeChallenge: string
  /** Whether the client asked for no interaction (`prompt=none`). */
  readonly isSilent: boolean
  /** After which time the person must have signed in (`prompt=login`, `max_age`). */
  readonly signedInAfter: DatetimeString | undefined
  /** Whether a program or a page of this computer pushed it. */
  readonly isFromHere: boolean
}

export interface PendingRequest extends Omit<AuthorizationRequest, 'parameters'> {
  readonly parameters: RequestParameters
}

export function pendingRequest(row: AuthorizationRequest): PendingRequest {
  return { ...row, parameters: JSON.parse(row.parameters) as RequestParameters }
}

/** Returns a request as the app window shows it: under its approval id, because knowing the id proves that the link was opened. */
export function waitingView(row: AuthorizationRequest) {
  return row.approvalId === null ? undefined : { ...requestView(pendingRequest(row)), id: row.approvalId }
}

/** Only the address of a client is shown: names and logos of its own choice are no proof. */
export function requestView({ id, clientId, loginHint, parameters }: PendingRequest) {
  const { redirectUri, permissions, isFromHere, signedInAfter, isSilent } = parameters
  const target = URL.parse(redirectUri)
  return {
    id,
    client: clientId,
    isLocal: clientId.startsWith('http://'),
    isFromHere,
    redirectTo: target?.host || target?.protocol || redirectUri,
    scope: permissions,
    loginHint: loginHint ?? undefined,
    signedInAfter,
    isSilent: isSilent || undefined,
  }
}
