/** Requests of apps as rows of the store, and as the page shows them on which a person decides. */
import type { AuthorizationRequest } from '../../platform/store/tables/oauth.ts'

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
  /** Handle or DID of the account that the person named in the app. */
  readonly loginHint: string | undefined
  readonly prompt: string | undefined
}

export interface PendingRequest extends Omit<AuthorizationRequest, 'parameters'> {
  readonly parameters: RequestParameters
}

export function pendingRequest(row: AuthorizationRequest): PendingRequest {
  return { ...row, parameters: JSON.parse(row.parameters) as RequestParameters }
}

/** Names and logos that a client gives itself prove nothing, so only its address is shown. */
export function requestView({ id, clientId, parameters, number, did, deniedAt, expiresAt }: PendingRequest) {
  const target = URL.parse(parameters.redirectUri)
  return {
    id,
    client: clientId,
    isLocal: clientId.startsWith('http://'),
    redirectTo: target?.host || target?.protocol || parameters.redirectUri,
    scope: parameters.permissions,
    loginHint: parameters.loginHint,
    number: number ?? undefined,
    isDecided: did !== null || deniedAt !== null,
    expiresAt,
  }
}
