/** Parameters of authorization requests, as clients push them. */

import {
  type OAuthAuthorizationRequestParameters,
  oauthAuthorizationRequestParametersSchema,
} from '@atproto/oauth-types'
import { isIdentifier, normalizeIdentifier } from '../../repository/access/identifier.ts'
import { type DatetimeString, iso } from '../../util/time.ts'
import { type Client, isRedirectOf } from './client.ts'
import { OAuthError } from './oauth-errors.ts'
import { isKnownScope } from './permissions.ts'
import type { RequestParameters } from './request-view.ts'
import { parseBy } from './schemas.ts'

/** Seconds. A larger `max_age` is ignored: every session is younger. */
const longestAge = 10 * 365 * 24 * 60 * 60

/**
 * Reads and checks the parameters of a pushed request.
 * @param now of the push
 * @throws OAuthError
 */
export function readParameters(
  client: Client,
  dpopKey: string,
  input: Readonly<Record<string, unknown>>,
  now: Date,
): Omit<RequestParameters, 'permissions' | 'isFromHere'> & { readonly loginHint: string | null } {
  for (const name of ['request', 'request_uri', 'authorization_details', 'claims', 'id_token_hint']) {
    if (input[name] !== undefined) throw invalid(`${name} is not supported`)
  }
  const parameters = parseBy(oauthAuthorizationRequestParametersSchema, input, invalid)
  const { redirect_uri: redirectUri, response_mode: responseMode = 'query', prompt } = parameters
  // OpenID Connect Prompt Create 1.0 §4: this value is not among `prompt_values_supported`.
  if (prompt === 'create') throw invalid('prompt must not be create')
  if (parameters.response_type !== 'code')
    throw new OAuthError('unsupported_response_type', 'response_type must be code')
  if (redirectUri === undefined) throw invalid('redirect_uri is missing')
  if (!isRedirectOf(client, redirectUri))
    throw new OAuthError('invalid_redirect_uri', 'redirect_uri is not in the metadata of the client')
  if (responseMode !== 'query' && responseMode !== 'fragment')
    throw invalid('response_mode must be query or fragment')
  if (parameters.code_challenge_method !== 'S256') throw invalid('code_challenge_method must be S256')
  if (!/^[\w-]{43}$/.test(parameters.code_challenge ?? ''))
    throw invalid('code_challenge must be 43 letters of base64url')
  if (parameters.dpop_jkt !== undefined && parameters.dpop_jkt !== dpopKey)
    throw new OAuthError('invalid_dpop_proof', 'dpop_jkt is not the key of the proof')
  return {
    redirectUri,
    responseMode,
    state: parameters.state,
    scope: readScope(client, parameters.scope),
    codeChallenge: parameters.code_challenge ?? '',
    loginHint: readHint(parameters.login_hint),
    isSilent: prompt === 'none',
    signedInAfter: signedInAfter(parameters, now),
  }
}

/** Accepts identifiers only, because the page shows the hint. @throws OAuthError */
function readHint(hint: string | undefined): string | null {
  if (hint === undefined) return null
  const identifier = normalizeIdentifier(hint)
  if (!isIdentifier(identifier)) throw invalid('login_hint must be a handle, a DID or an email address')
  return identifier
}

/** Returns the time after which the person must have signed in; undefined if any sign-in counts (OpenID Connect Core §3.1.2.1). */
function signedInAfter(
  { prompt, max_age: maxAge = Number.POSITIVE_INFINITY }: OAuthAuthorizationRequestParameters,
  now: Date,
): DatetimeString | undefined {
  if (prompt === 'login') return iso(now)
  return maxAge > longestAge ? undefined : iso(new Date(now.getTime() - maxAge * 1000))
}

/** Unknown scopes are left out: the token response names those that were granted (RFC 6749 §3.3). @throws OAuthError */
function readScope(client: Client, requested = ''): string {
  const declared = new Set(client.metadata.scope?.split(' '))
  const scopes = [...new Set(requested.split(' ').filter((scope) => scope !== ''))]
  if (!scopes.includes('atproto')) throw new OAuthError('invalid_scope', 'scope must contain atproto')
  const undeclared = scopes.find((scope) => !declared.has(scope))
  if (undeclared !== undefined)
    throw new OAuthError(
      'invalid_scope',
      `The metadata of the client does not declare the scope ${undeclared}`,
    )
  return scopes.filter(isKnownScope).join(' ')
}

export function invalid(message: string): OAuthError {
  return new OAuthError('invalid_request', message)
}
