/** A client, and whether a redirect URI is one of its own. */
import type { OAuthClientMetadata } from '@atproto/oauth-types'
import type { JSONWebKeySet } from 'jose'
import type { Requester } from '../../util/requester.ts'
import type { DatetimeString } from '../../util/time.ts'

export interface Client {
  readonly id: string
  /** Whether it runs on the developer's computer, without a document. */
  readonly isLoopback: boolean
  readonly metadata: OAuthClientMetadata
  /** Its public keys; empty for a public client. */
  readonly keys: JSONWebKeySet
  /** When its document was read; undefined for a client without one. */
  readonly readAt: DatetimeString | undefined
}

/** @throws OAuthError `invalid_client_metadata`, `temporarily_unavailable` */
export type FindClient = (id: string, requester: Requester) => Promise<Client>

/**
 * Whether a requested redirect URI is one of the client's. On loopback any port is accepted, also beside a declared one: the
 * system chooses it when the app listens (RFC 8252 §7.3).
 */
export function isRedirectOf({ metadata }: Client, uri: string): boolean {
  return metadata.redirect_uris.some((known) => known === uri || isSameButPort(known, uri))
}

function isSameButPort(known: string, uri: string): boolean {
  const expected = URL.parse(known)
  const actual = URL.parse(uri)
  if (!expected || !actual || expected.protocol !== 'http:') return false
  if (!/^http:\/\/(?:127\.0\.0\.1|\[::1\])(?=[:/?]|$)/.test(uri)) return false
  expected.port = ''
  actual.port = ''
  return actual.href === expected.href
}
