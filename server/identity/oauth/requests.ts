/** Authorization requests: pushed by a client (RFC 9126), shown to a person, then allowed or denied. */
import { randomInt } from 'node:crypto'
import {
  type OAuthAuthorizationRequestParameters,
  oauthAuthorizationRequestParametersSchema,
} from '@atproto/oauth-types'
import type { DidString } from '@atproto/syntax'
import type { Database, Writer } from '../../platform/store/database.ts'
import * as accounts from '../../platform/store/tables/accounts.ts'
import * as rows from '../../platform/store/tables/oauth.ts'
import { randomId } from '../../platform/util/random.ts'
import type { Requester } from '../../platform/util/requester.ts'
import { iso } from '../../platform/util/time.ts'
import { statusOf } from '../../repository/access/status.ts'
import { isKnownScope } from '../auth/permissions.ts'
import type { Secrets } from '../did/secrets.ts'
import { type Client, isRedirectOf } from './clients.ts'
import { OAuthError } from './errors.ts'
import type { ExpandScope } from './permission-sets.ts'
import { type PendingRequest, pendingRequest, type RequestParameters } from './view.ts'

interface Deps {
  readonly store: Database
  readonly now: () => Date
  readonly issuer: string
  readonly secrets: Pick<Secrets, 'hash'>
  readonly expandScope: ExpandScope
}

const uriPrefix = 'urn:ietf:params:oauth:request_uri:'
/** Milliseconds in which a pushed request must be shown, and a shown one decided. */
const pushedMs = 5 * 60_000
const shownMs = 60 * 60_000
const codeMs = 2 * 60_000
const maxRequests = 2_000
const maxParameterBytes = 8_192

export function createRequests({ store, now, issuer, secrets, expandScope }: Deps) {
  const after = (ms: number) => iso(new Date(now().getTime() + ms))

  /** Returns an undecided request that is still valid. */
  function find(id: string): PendingRequest | undefined {
    const row = rows.findRequest(store, id)
    if (!row || row.expiresAt <= iso(now())) return undefined
    return pendingRequest(row)
  }

  /** Makes the code of an allowed request. The request waits for the exchange of its code. */
  function issueCode(tx: Writer, id: string): string {
    const code = randomId() + randomId()
    rows.setCode(tx, id, secrets.hash('oauth code', code), after(codeMs))
    return code
  }

  return {
    find,

    /** Stores a request. @returns its request_uri and seconds until it expires @throws OAuthError */
    async push(
      client: Client,
      keys: { readonly clientKey: string | null; readonly dpopKey: string },
      input: Readonly<Record<string, unknown>>,
      requester: Requester,
    ) {
      const read = readParameters(client, keys.dpopKey, input)
      const parameters: RequestParameters = { ...read, permissions: await expandScope(read.scope, requester) }
      const text = JSON.stringify(parameters)
      if (Buffer.byteLength(text) > maxParameterBytes) throw invalid('The request is too large')
      const id = randomId()
      await store.transact((tx) => {
        rows.removeExpired(tx, iso(now()))
        if (rows.countRequests(tx) >= maxRequests)
          throw new OAuthError('temporarily_unavailable', 'Too many requests wait for an answer')
        const request = { id, clientId: client.id, ...keys, parameters: text, expiresAt: after(pushedMs) }
        rows.insertRequest(tx, request)
      })
      return { request_uri: uriPrefix + id, expires_in: pushedMs / 1000 }
    },

    /** Returns the id in a request_uri. */
    idOf: (uri: string | null | undefined) =>
      uri?.startsWith(uriPrefix) ? uri.slice(uriPrefix.length) : undefined,

    /** Gives a person the time to decide. */
    async show(id: string): Promise<void> {
      await store.transact((tx) => rows.extendRequest(tx, id, after(shownMs)))
    },

    /** Makes a request wait for an approval in the app window. @returns the number that both windows show */
    async waitForApproval(id: string): Promise<number | undefined> {
      return store.transact((tx) => {
        const request = rows.findRequest(tx, id)
        if (!request || request.did !== null || request.deniedAt !== null) return undefined
        if (request.number !== null) return request.number
        const number = randomInt(10, 100)
        rows.setNumber(tx, id, number)
        return number
      })
    },

    /** Allows or denies a request. @returns false if it is not open any more, or the account may not sign in */
    async decide(id: string, did: DidString, isAllowed: boolean): Promise<boolean> {
      return store.transact((tx) => {
        const request = rows.findRequest(tx, id)
        const account = accounts.findByDid(tx, did)
        if (!request || request.expiresAt <= iso(now())) return false
        if (request.did !== null || request.deniedAt !== null) return false
        if (!isAllowed) rows.denyRequest(tx, id, iso(now()))
        else if (account && statusOf(account) === undefined) rows.allowRequest(tx, id, did)
        else return false
        return true
      })
    },

    /** Returns the URL that takes the answer to the client, once; undefined while the request is open, and for an unknown one. */
    async answer(id: string): Promise<string | undefined> {
      return store.transact((tx) => {
        const row = rows.findRequest(tx, id)
        if (!row || (row.did === null && row.deniedAt === null)) return undefined
        const parameters = JSON.parse(row.parameters) as RequestParameters
        if (row.did !== null) return redirect(issuer, parameters, { code: issueCode(tx, id) })
        rows.removeRequest(tx, id)
        return redirect(issuer, parameters, {
          error: 'access_denied',
          error_description: 'The account did not allow it',
        })
      })
    },

    /** Returns the answer to a client that wants a decision without a page. */
    mustAsk: ({ parameters }: PendingRequest) =>
      redirect(issuer, parameters, {
        error: 'login_required',
        error_description: 'The person must be asked',
      }),
  }
}

export type Requests = ReturnType<typeof createRequests>

/** Adds the answer to the redirect URI (RFC 6749 §4.1.2, RFC 9207). */
function redirect(
  issuer: string,
  { redirectUri, responseMode, state }: RequestParameters,
  answer: Readonly<Record<string, string>>,
): string {
  const values = new URLSearchParams({ iss: issuer, ...(state === undefined ? {} : { state }), ...answer })
  if (responseMode === 'fragment') return `${redirectUri}#${values}`
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${values}`
}

/** @throws OAuthError */
function readParameters(
  client: Client,
  dpopKey: string,
  input: Readonly<Record<string, unknown>>,
): Omit<RequestParameters, 'permissions'> {
  for (const name of ['request', 'request_uri', 'authorization_details', 'claims', 'id_token_hint']) {
    if (input[name] !== undefined) throw invalid(`${name} is not supported`)
  }
  const parsed = oauthAuthorizationRequestParametersSchema.safeParse(input)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw invalid(`${issue?.path.join('.')}: ${issue?.message}`)
  }
  const parameters: OAuthAuthorizationRequestParameters = parsed.data
  const { redirect_uri: redirectUri, response_mode: responseMode = 'query', prompt } = parameters
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
    loginHint: parameters.login_hint?.toLowerCase(),
    prompt,
  }
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

function invalid(message: string): OAuthError {
  return new OAuthError('invalid_request', message)
}
