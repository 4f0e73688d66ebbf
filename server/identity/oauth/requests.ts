/** Authorization requests: pushed by a client (RFC 9126), shown to a person, then allowed or denied. */

import type { DidString } from '@atproto/syntax'
import { identifiersOf } from '../../repository/access/identifier.ts'
import type { Database, Reader, Writer } from '../../store/database.ts'
import { statusOf } from '../../store/tables/account-status.ts'
import { type Account, findByDid } from '../../store/tables/accounts.ts'
import { randomId, randomInt } from '../../util/random.ts'
import { requesterOf } from '../../util/requester.ts'
import { iso } from '../../util/time.ts'
import type { Secrets } from '../did/server-secrets.ts'
import * as rows from '../tables/oauth.ts'
import { openedAt } from '../tables/sessions.ts'
import type { DecisionFailure } from './attempt-failures.ts'
import type { Client } from './client.ts'
import { invalid, readParameters } from './parameters.ts'
import type { ExpandScope } from './permission-sets.ts'
import { type PendingRequest, pendingRequest, type RequestParameters } from './request-view.ts'

interface Deps {
  readonly store: Database
  readonly now: () => Date
  readonly issuer: string
  readonly secrets: Pick<Secrets, 'hash'>
  readonly expandScope: ExpandScope
}

/** Where a request comes from. */
interface Sender {
  readonly source: string
  /** The network that contains the source. */
  readonly network: string
  /** Whether a program or a page of this computer pushed it. */
  readonly isFromHere: boolean
}

/** @property number the one that the browser shows, for a decision in the app window */
interface Decision {
  readonly id: string
  readonly isAllowed: boolean
  readonly number?: number | undefined
}

/** @property isHere whether the session is used by a program of this computer */
interface Decider {
  readonly did: DidString
  readonly sessionId: string
  readonly isHere: boolean
}

interface Failed<Name extends DecisionFailure = DecisionFailure> {
  readonly failure: Name
}

const uriPrefix = 'urn:ietf:params:oauth:request_uri:'
/** Milliseconds from the push of a request to its decision, and from the decision to the exchange of its code. */
const requestMs = 60 * 60_000
const decidedMs = 2 * 60_000
/** Most undecided requests: in all, and of one source. */
const maxRequests = 2_000
const maxOfSource = 50
const maxParameterBytes = 8_192

export function createRequests({ store, now, issuer, secrets, expandScope }: Deps) {
  const after = (ms: number) => iso(new Date(now().getTime() + ms))
  /** The code of a request, the same each time, so that an answer that was lost can be repeated. */
  const codeOf = (id: string) => Buffer.from(secrets.hash('oauth code of', id)).toString('base64url')

  /** Returns an undecided request that has not expired. */
  function find(db: Reader, id: string): PendingRequest | undefined {
    const row = rows.findRequest(db, id)
    if (!row || row.did !== null || row.expiresAt <= iso(now())) return undefined
    return pendingRequest(row)
  }

  /**
   * Finds the request of a decision. The browser that opened the link of the app has its id. The app window has only its approval
   * id, because the request may be of another browser: an approval by it takes the number of that browser, too.
   */
  function findForDecision(tx: Writer, id: string, { did, isHere }: Decider): Found {
    const linked = rows.findRequest(tx, id)
    const row = linked ?? rows.findRequestByApproval(tx, id)
    const account = findByDid(tx, did)
    if (!row || !account || row.expiresAt <= iso(now()) || (row.did !== null && row.did !== did))
      return { failure: 'RequestNotFound' }
    if (row.loginHint !== null && !identifiersOf(account).includes(row.loginHint))
      return { failure: 'WrongAccount' }
    if (row.loginHint === null && !linked && !(account.isOwner && isHere))
      return { failure: 'RequestNotFound' }
    return { request: pendingRequest(row), account, isByLink: linked !== undefined }
  }

  const isFresh = (db: Reader, { parameters }: PendingRequest, sessionId: string) =>
    parameters.signedInAfter === undefined || (openedAt(db, sessionId) ?? '') > parameters.signedInAfter

  function deny(tx: Writer, id: string, did: DidString): void {
    rows.denyRequest(tx, id, { did, at: iso(now()), expiresAt: after(decidedMs) })
  }

  return {
    /** Returns a request that a person can decide. */
    find: (id: string) => find(store, id),

    /** Stores a request. @returns its request_uri and seconds until it expires @throws OAuthError */
    async push(
      client: Client,
      keys: { readonly clientKey: string | null; readonly dpopKey: string },
      input: Readonly<Record<string, unknown>>,
      { source, network, isFromHere }: Sender,
    ) {
      const { loginHint, ...read } = readParameters(client, keys.dpopKey, input, now())
      const permissions = await expandScope(read.scope, requesterOf({ source, network }, undefined))
      const parameters: RequestParameters = { ...read, permissions, isFromHere }
      const text = JSON.stringify(parameters)
      if (Buffer.byteLength(text + (loginHint ?? '')) > maxParameterBytes)
        throw invalid('The request is too large')
      const id = randomId()
      const request = {
        ...{ id, clientId: client.id, ...keys, loginHint },
        source: secrets.hash('oauth source', source),
        network: secrets.hash('oauth network', network),
        ...{ parameters: text, createdAt: iso(now()), expiresAt: after(requestMs) },
      }
      await store.transact((tx) => {
        rows.removeExpired(tx, iso(now()))
        if (rows.isChallengeUsed(tx, parameters.codeChallenge))
          throw invalid('code_challenge was used before: each request needs its own')
        rows.keepNewestRequests(tx, request.source, maxOfSource - 1)
        if (rows.countRequests(tx) >= maxRequests) rows.removeOfLargestNetwork(tx)
        rows.insertRequest(tx, request)
      })
      return { request_uri: uriPrefix + id, expires_in: requestMs / 1000 }
    },

    /** Returns the id in a request_uri. */
    idOf: (uri: string | null | undefined) =>
      uri?.startsWith(uriPrefix) ? uri.slice(uriPrefix.length) : undefined,

    /**
     * Makes a request wait for an approval in the app window.
     * @param isHere whether a browser of this computer shows it
     * @returns the number that the browser shows
     */
    async waitForApproval(
      id: string,
      isHere: boolean,
    ): Promise<{ readonly number: number } | Failed<'RequestNotFound' | 'SignInRequired'>> {
      return store.transact((tx) => {
        const request = find(tx, id)
        if (!request) return { failure: 'RequestNotFound' }
        // The session of the app window was opened before the required time.
        if (request.parameters.signedInAfter !== undefined) return { failure: 'SignInRequired' }
        if (request.number !== null) return { number: request.number }
        const number = 10 + randomInt(90)
        rows.setWaiting(tx, id, { approvalId: randomId(), number, at: iso(now()), isHere })
        return { number }
      })
    },

    /**
     * Allows or denies a request. Returns the URL that takes the answer to the client. After a lost answer the same account gets the
     * same URL again, until the code is exchanged.
     */
    async decide(
      { id, isAllowed, number }: Decision,
      decider: Decider,
    ): Promise<{ readonly location: string } | Failed> {
      const { did, sessionId } = decider
      return store.transact((tx) => {
        const found = findForDecision(tx, id, decider)
        if ('failure' in found) return found
        const { request, account, isByLink } = found
        const { parameters, deniedAt } = request
        if (!isAllowed) {
          deny(tx, request.id, did)
          return { location: redirect(issuer, parameters, denied) }
        }
        if (deniedAt !== null || statusOf(account) !== undefined) return { failure: 'RequestNotFound' }
        if (!isByLink && number !== request.number) {
          deny(tx, request.id, did)
          return { failure: 'WrongNumber' }
        }
        if (!isFresh(tx, request, sessionId)) return { failure: 'SignInRequired' }
        const code = codeOf(request.id)
        const expiresAt = request.did === null ? after(decidedMs) : request.expiresAt
        rows.allowRequest(tx, request.id, { did, codeHash: secrets.hash('oauth code', code), expiresAt })
        return { location: redirect(issuer, parameters, { code }) }
      })
    },

    /**
     * Refuses a request with `prompt=none`: this server always asks the person.
     * @returns the location of the error, only if the account has allowed the client before (RFC 9700 §4.11)
     */
    async declineSilently(
      id: string,
      decider: Omit<Decider, 'isHere'>,
    ): Promise<{ readonly location?: string } | Failed<'RequestNotFound' | 'WrongAccount'>> {
      const { did, sessionId } = decider
      return store.transact((tx) => {
        const found = findForDecision(tx, id, { ...decider, isHere: false })
        if ('failure' in found) return found
        const { request, isByLink } = found
        if (!isByLink || !request.parameters.isSilent) return { failure: 'RequestNotFound' }
        if (!rows.hasGrant(tx, did, request.clientId)) return {}
        deny(tx, request.id, did)
        const error = isFresh(tx, request, sessionId) ? 'consent_required' : 'login_required'
        const answer = { error, error_description: 'The person must be asked' }
        return { location: redirect(issuer, request.parameters, answer) }
      })
    },
  }
}

export type Requests = ReturnType<typeof createRequests>

type Found =
  | { readonly request: PendingRequest; readonly account: Account; readonly isByLink: boolean }
  | Failed<'RequestNotFound' | 'WrongAccount'>

const denied = { error: 'access_denied', error_description: 'The account did not allow it' }

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
