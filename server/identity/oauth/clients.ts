/**
 * Clients: found by the metadata document that their client_id names (draft-ietf-oauth-client-id-metadata-document), or, for
 * developers, `http://localhost?redirect_uri=…&scope=…` without a document (atproto OAuth specification, "Localhost Client
 * Development").
 */
import {
  atprotoLoopbackClientMetadata,
  isOAuthClientIdDiscoverable,
  isOAuthClientIdLoopback,
  type OAuthClientMetadata,
  oauthClientMetadataSchema,
} from '@atproto/oauth-types'
import type { JSONWebKeySet } from 'jose'
import { guardedFetch } from '../../platform/network/client.ts'
import { lookupsOf, type Platform } from '../../platform/platform.ts'
import { createSharedLookup, TooManyLookups } from '../../util/shared-lookup.ts'
import { iso } from '../../util/time.ts'
import { hasGrant } from '../tables/oauth-clients.ts'
import type { Client, FindClient } from './client.ts'
import { ClientUnreachable, keepClient, withKeptClients } from './kept-clients.ts'
import { OAuthError } from './oauth-errors.ts'
import { parseBy } from './schemas.ts'

interface Deps extends Pick<Platform, 'config' | 'store' | 'now' | 'signal' | 'findAddresses' | 'refusals'> {}

const maxDocumentBytes = 64 * 1024
const timeoutMs = 5_000
/** A client that changes its document is known by the new one after this time. */
const keptMs = 10 * 60_000
const missingMs = 10_000
/** Statuses by which a server states that there is no document. After any other one a kept document is used. */
const answers: readonly number[] = [200, 404, 410]

export function createClients(deps: Deps): FindClient {
  const { config, store, now, signal } = deps
  const { findAddresses, onRefused } = lookupsOf(deps)
  const kept = { now, foundMs: keptMs, missingMs, entries: 200 }
  const keepsFailure = (error: unknown) => error instanceof OAuthError
  const clients = createSharedLookup<Client>({ ...kept, keepsFailure, onRefused })
  const keySets = createSharedLookup<unknown>({ ...kept, keepsFailure })

  async function fetchJson(url: string): Promise<unknown> {
    const { status, headers, body } = await guardedFetch(url, {
      allowPrivate: config.allowPrivateTargets,
      findAddresses,
      headers: { accept: 'application/json' },
      maxBytes: maxDocumentBytes,
      timeoutMs,
      signal,
    }).catch((error: unknown) => {
      throw unreachable(`${url} cannot be fetched: ${error instanceof Error ? error.message : error}`)
    })
    if (!answers.includes(status)) throw unreachable(`${url} answered with status ${status}`)
    if (status !== 200) throw invalid(`${url} answered with status ${status}`)
    if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(headers['content-type'] ?? ''))
      throw invalid(`${url} is not application/json`)
    try {
      return JSON.parse(body.toString())
    } catch {
      throw invalid(`${url} is not valid JSON`)
    }
  }

  /** Runs within the look-up of the client, which holds a place already. */
  async function keysOf(metadata: OAuthClientMetadata): Promise<JSONWebKeySet> {
    const { token_endpoint_auth_method: method, jwks, jwks_uri: url = '' } = metadata
    if (method === 'none') return { keys: [] }
    const fetched = () => keySets.get(url, () => fetchJson(url))
    const set =
      jwks ??
      (await fetched().catch((error: unknown) => {
        if (!(error instanceof ClientUnreachable)) throw error
        throw new ClientUnreachable(error.code, error.message, metadata)
      }))
    const { keys = [] } =
      parseBy(oauthClientMetadataSchema.shape.jwks, set, (problem) =>
        invalid(`The keys of the client are malformed: ${problem}`),
      ) ?? {}
    return { keys: keys.slice(0, 20) as JSONWebKeySet['keys'] }
  }

  async function read(id: string): Promise<Client> {
    const metadata = checked(id, await fetchJson(id))
    const readAt = iso(now())
    const client = { id, isLoopback: false, metadata, keys: await keysOf(metadata), readAt }
    if (hasGrant(store, id)) await store.transact((tx) => keepClient(tx, client))
    return client
  }

  const findByDocument = withKeptClients(deps, (id, requester) =>
    clients
      .get(id, () => read(id), { requester })
      .catch((error: unknown) => {
        if (!(error instanceof TooManyLookups)) throw error
        throw new ClientUnreachable(
          'temporarily_unavailable',
          'Too many look-ups of clients. Try again in a few seconds.',
        )
      }),
  )

  return async (id, requester) => {
    if (id.length > 2048) throw invalid('client_id is too long')
    if (attempt(() => isOAuthClientIdLoopback(id))) {
      const metadata = checked(
        id,
        attempt(() => atprotoLoopbackClientMetadata(id)),
      )
      return { id, isLoopback: true, metadata, keys: { keys: [] }, readAt: undefined }
    }
    if (!attempt(() => isOAuthClientIdDiscoverable(id))) {
      throw invalid(
        'client_id must be the https URL of a metadata document, or http://localhost for development',
      )
    }
    // The page shows it: letters of other scripts that look like Latin ones are shown as `xn--`.
    if (URL.parse(id)?.href !== id) throw invalid('client_id must be written as browsers write the URL')
    return findByDocument(id, requester)
  }
}

/** The letters of a URI (RFC 3986 §2). Of others, such as line breaks and backslashes, programs make different URLs. */
const uriLetters = /^[\w.~:/?#[\]@!$&'()*+,;=%-]+$/

/** Validates a document: the rules of the atproto OAuth specification beyond the shape. @throws OAuthError */
function checked(id: string, document: unknown): OAuthClientMetadata {
  const metadata = parseBy(oauthClientMetadataSchema, document, (problem) =>
    invalid(`The metadata of the client is malformed: ${problem}`),
  )
  const broken = brokenRule(id, metadata)
  if (broken !== undefined) throw invalid(broken)
  return metadata
}

/** Returns the rule that a document breaks; undefined if it breaks none. */
function brokenRule(id: string, metadata: OAuthClientMetadata): string | undefined {
  const { token_endpoint_auth_method: method, application_type: type } = metadata
  if (metadata.client_id !== id) return 'client_id in the metadata is not the URL of the document'
  if (!metadata.scope?.split(' ').includes('atproto')) return 'scope must contain atproto'
  if (metadata.dpop_bound_access_tokens !== true) return 'dpop_bound_access_tokens must be true'
  if (!metadata.response_types.includes('code')) return 'response_types must contain code'
  if (!metadata.grant_types.includes('authorization_code'))
    return 'grant_types must contain authorization_code'
  if (metadata.grant_types.includes('implicit')) return 'grant_types must not contain implicit'
  if (method !== 'none' && method !== 'private_key_jwt')
    return 'token_endpoint_auth_method must be none or private_key_jwt'
  if (method === 'private_key_jwt') {
    if ((metadata.jwks === undefined) === (metadata.jwks_uri === undefined))
      return 'private_key_jwt needs either jwks or jwks_uri'
    if (metadata.jwks_uri !== undefined && !metadata.jwks_uri.startsWith('https://'))
      return 'jwks_uri must use https'
    if (type === 'native') return 'a native client authenticates with none'
  }
  return metadata.redirect_uris.map((uri) => brokenRedirect(id, uri, type)).find((rule) => rule !== undefined)
}

function brokenRedirect(id: string, uri: string, type: string): string | undefined {
  const url = URL.parse(uri)
  if (!uriLetters.test(uri) || url?.username !== '' || url.password !== '')
    return `redirect URI ${uri} is malformed`
  if (uri.includes('#')) return `redirect URI ${uri} must not have a fragment`
  if (url.protocol === 'https:') return undefined
  if (type !== 'native') return `redirect URI ${uri} is for native clients only`
  // RFC 8252 §7.3; the schema permits no other host with http.
  if (url.protocol === 'http:') return undefined
  const expected = `${new URL(id).hostname.split('.').reverse().join('.')}:`
  return url.protocol === expected ? undefined : `redirect URI ${uri} must begin with ${expected}`
}

function attempt<Result>(make: () => Result): Result {
  try {
    return make()
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : 'client_id is malformed')
  }
}

function invalid(message: string): OAuthError {
  return new OAuthError('invalid_client_metadata', message)
}

function unreachable(message: string): ClientUnreachable {
  return new ClientUnreachable('invalid_client_metadata', message)
}
