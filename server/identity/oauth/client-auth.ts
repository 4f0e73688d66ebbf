/** Authentication of clients with a key of their own: `private_key_jwt` (RFC 7523, OpenID Connect Core §9). */

import { hash } from 'node:crypto'
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint'
import { createLocalJWKSet } from 'jose/jwks/local'
import { jwtVerify } from 'jose/jwt/verify'
import type { Database } from '../../store/database.ts'
import { iso } from '../../util/time.ts'
import * as oauth from '../tables/oauth.ts'
import type { Client } from './client.ts'
import { OAuthError } from './oauth-errors.ts'

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
/** Seconds that an assertion may be valid for, and by which clocks may differ. */
const maxAgeSeconds = 5 * 60
const toleranceSeconds = 60

interface Deps {
  readonly store: Database
  readonly now: () => Date
  readonly issuer: string
}

/**
 * Authenticates a client.
 * @returns the thumbprint of its key; null for a public client
 * @throws OAuthError `invalid_client`
 */
export async function authenticateClient(
  { store, now, issuer }: Deps,
  client: Client,
  parameters: Readonly<Record<string, unknown>>,
): Promise<string | null> {
  const { client_assertion: assertion, client_assertion_type: type, client_secret: secret } = parameters
  if (secret !== undefined) throw invalid('Client secrets are not supported')
  if (client.metadata.token_endpoint_auth_method === 'none') {
    if (assertion !== undefined) throw invalid('A public client has no client_assertion')
    return null
  }
  if (type !== assertionType || typeof assertion !== 'string' || assertion.length > 8_192)
    throw invalid(`The client authenticates with client_assertion_type ${assertionType} and client_assertion`)
  const getKey = createLocalJWKSet(client.keys)
  let key: Parameters<typeof calculateJwkThumbprint>[0] | undefined
  const { payload, protectedHeader } = await jwtVerify(
    assertion,
    async (header, token) => {
      key = client.keys.keys.find(({ kid }) => kid === header.kid)
      return getKey(header, token)
    },
    {
      algorithms: ['ES256'],
      issuer: client.id,
      subject: client.id,
      audience: issuer,
      requiredClaims: ['jti', 'iat'],
      maxTokenAge: maxAgeSeconds,
      clockTolerance: toleranceSeconds,
      currentDate: now(),
    },
  ).catch(() => {
    throw invalid('client_assertion is not valid')
  })
  if (protectedHeader.kid === undefined || !key) throw invalid('client_assertion names no key of the client')
  const id = hash('sha256', `${client.id}\0${payload.jti}`, 'buffer')
  const expiresAt = iso(new Date(now().getTime() + (maxAgeSeconds + 2 * toleranceSeconds) * 1000))
  if (!(await store.transact((tx) => oauth.useAssertion(tx, id, expiresAt))))
    throw invalid('client_assertion was used before')
  return calculateJwkThumbprint(key)
}

function invalid(message: string): OAuthError {
  return new OAuthError('invalid_client', message)
}
