/**
 * The authorization server: finds and authenticates clients, takes their requests, and issues their tokens.
 *
 * Read this first. `endpoints.ts` has the HTTP endpoints, `clients.ts` the clients and their documents (`kept-clients.ts` while these
 * cannot be read), `requests.ts` and `parameters.ts` the requests, `token-grants.ts` codes and tokens. Sessions of apps are in
 * `app-session.ts`, their proofs in `dpop.ts`, their permissions in `permissions.ts`.
 */
import type { DidString } from '@atproto/syntax'
import { requesterOf } from '../../util/requester.ts'
import type { Client, FindClient } from './client.ts'
import { authenticateClient } from './client-auth.ts'
import { createClients } from './clients.ts'
import type { Dpop, SignedRequest } from './dpop.ts'
import { OAuthError } from './oauth-errors.ts'
import type { OAuthDeps } from './oauth-parts.ts'
import { createPermissionSets } from './permission-sets.ts'
import { createRequests, type Requests } from './requests.ts'
import { type Allowed, createTokenGrants, refusedGrant } from './token-grants.ts'

/** A request to an endpoint. */
export interface EndpointRequest extends SignedRequest {
  /** The key of limits per caller. */
  readonly source: string
  /** The network that contains the source. */
  readonly network: string
  /** Whether a program on this machine sent it, possibly a browser. */
  readonly isLocal: boolean
  /** Whether a page sent it that is not on loopback. */
  readonly isFromWeb: boolean
}

type Fields = Readonly<Record<string, unknown>>
/** @throws OAuthError, DpopError, XrpcError */
type Endpoint = (request: EndpointRequest, fields: Fields) => Promise<{ status: number; body: unknown }>

export interface AuthorizationServer {
  readonly dpop: Dpop
  readonly findClient: FindClient
  readonly requests: Requests
  readonly endpoints: {
    /** RFC 9126 */
    readonly pushRequest: Endpoint
    /** RFC 6749 §3.2 */
    readonly issueToken: Endpoint
    /** RFC 7009 */
    readonly revokeToken: Endpoint
  }
}

export function createAuthorizationServer(deps: OAuthDeps & { readonly dpop: Dpop }): AuthorizationServer {
  const { dpop, origin: issuer } = deps
  const findClient = createClients(deps)
  const requests = createRequests({ ...deps, issuer, expandScope: createPermissionSets(deps.resolveLexicon) })
  const grants = createTokenGrants(deps)

  /**
   * Finds and authenticates the client. If an account has allowed it, the look-up takes a place of that account, so that look-ups of
   * unknown callers do not delay it.
   * @param allowed the grant of the valid code or token in the request
   */
  async function authenticate(request: EndpointRequest, fields: Fields, allowed?: Allowed) {
    const id = text(fields, 'client_id')
    const did: DidString | undefined = allowed?.clientId === id ? allowed.did : undefined
    const client = await findClient(id, requesterOf(request, did))
    return { client, clientKey: await authenticateClient({ ...deps, issuer }, client, fields) }
  }

  /** Checks the proof first, because it costs less than the document of a client. @param find reads the code or token */
  async function prove(
    request: EndpointRequest,
    fields: Fields,
    find?: () => Promise<Allowed | undefined> | Allowed | undefined,
  ) {
    const dpopKey = await dpop.verify(request)
    const authenticated = await authenticate(request, fields, await find?.())
    if (authenticated.clientKey === dpopKey)
      throw new OAuthError('invalid_dpop_proof', 'The proof must have another key than client_assertion')
    return { ...authenticated, dpopKey }
  }

  return {
    dpop,
    findClient,
    requests,
    endpoints: {
      async pushRequest(request, fields) {
        const { client, ...keys } = await prove(request, fields)
        const { source, network, isLocal, isFromWeb } = request
        // A person would see the page as a program of this computer.
        if (client.isLoopback && isFromWeb)
          throw new OAuthError(
            'invalid_client',
            'http://localhost is for apps on loopback: publish a document',
          )
        const sender = { source, network, isFromHere: isLocal && !isFromWeb }
        return { status: 201, body: await requests.push(client, keys, fields, sender) }
      },

      async issueToken(request, fields) {
        const type = text(fields, 'grant_type')
        if (type === 'refresh_token') {
          const token = text(fields, 'refresh_token')
          const proven = await prove(request, fields, async () => {
            const grant = await grants.findByToken(token)
            if (!grant) throw refusedGrant('The refresh token is not valid')
            return grant
          })
          requireGrantType(proven.client, type)
          return { status: 200, body: await grants.refresh(proven, token) }
        }
        if (type !== 'authorization_code')
          throw new OAuthError(
            'unsupported_grant_type',
            'grant_type must be authorization_code or refresh_token',
          )
        const code = text(fields, 'code')
        const proven = await prove(request, fields, () => grants.findByCode(code))
        requireGrantType(proven.client, type)
        const body = await grants.exchangeCode(proven, {
          code,
          verifier: text(fields, 'code_verifier'),
          redirectUri: text(fields, 'redirect_uri'),
        })
        return { status: 200, body }
      },

      async revokeToken(request, fields) {
        // The proof is optional: clients that sign out send the token alone.
        if (request.proof !== undefined) await dpop.verify(request)
        const grant = await grants.findByToken(text(fields, 'token'))
        // The token of another client stays valid; the response is the same (RFC 7009 §2.1).
        if (grant?.clientId === text(fields, 'client_id')) {
          // Only a client with a key authenticates, so the document of a public client is not read.
          if (grant.clientKey !== null) await authenticate(request, fields, grant)
          await grants.end(grant)
        }
        return { status: 200, body: {} }
      },
    },
  }
}

function requireGrantType({ metadata }: Client, type: 'authorization_code' | 'refresh_token'): void {
  if (!metadata.grant_types.includes(type))
    throw new OAuthError(
      'invalid_grant',
      `The metadata of the client does not declare the grant type ${type}`,
    )
}

/** Returns a required text. @throws OAuthError `invalid_request` */
function text(fields: Fields, name: string): string {
  const value = fields[name]
  if (typeof value === 'string' && value !== '' && value.length <= 8_192) return value
  throw new OAuthError('invalid_request', `${name} is missing or malformed`)
}
