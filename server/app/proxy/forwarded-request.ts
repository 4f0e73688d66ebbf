/** The request that a service gets for a call: its body, a few of its headers, and a service token. */
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import type { SessionCredentials } from '../../identity/callers/credentials.ts'
import { createServiceJwt } from '../../identity/did/service-jwt.ts'
import type { OutboundRequest } from '../../platform/network/client.ts'
import { openBody } from '../../platform/xrpc/body.ts'
import type { MethodName } from '../../platform/xrpc/incoming.ts'
import type { Observation } from '../../platform/xrpc/method.ts'
import { observedJson } from '../../platform/xrpc/observe.ts'
import { protocolError } from '../../platform/xrpc/xrpc-errors.ts'
import { randomId } from '../../util/random.ts'
import type { Service } from './proxy-service.ts'

/** Limit of a request body in bytes. */
const maxBody = 10_000_000
/** Lifetime of a service token, in seconds. */
const tokenLifetime = 60

/** Headers that services get. */
const forwardedHeaders = ['accept', 'accept-language', 'atproto-accept-labelers', 'x-bsky-topics']

/** Headers that clients and services agree on among themselves. */
const customPrefix = 'x-atproto-'
/** Bytes of all of them at most. */
const maxCustomBytes = 4096
/** Names of credentials, which are for this server alone. */
const credentialName = /auth|bypass|cookie|credential|dpop|key|password|secret|token/

interface Options {
  readonly token: string
  /** Checks the credentials again at the end of the body. */
  readonly check: () => unknown
  /** Whether this server reads the response, which must not be compressed then. */
  readonly isRead: boolean
  /** Gets the body if it is JSON. */
  readonly observation?: Observation | undefined
}

/** @param readBody the body, if it has been read from the request */
export function requestFrom(
  req: IncomingMessage,
  { token, check, isRead, observation }: Options,
  readBody?: Buffer,
): OutboundRequest {
  const { headers, method } = req
  const sent: OutgoingHttpHeaders = {
    authorization: `Bearer ${token}`,
    'accept-encoding': (isRead ? undefined : headers['accept-encoding']) ?? 'identity',
  }
  for (const name of forwardedHeaders) if (headers[name] !== undefined) sent[name] = headers[name]
  Object.assign(sent, customHeaders(headers))
  // For HEAD, too: the length of the body is known then.
  if (method !== 'POST') return { headers: sent }
  if (readBody) {
    sent['content-type'] = 'application/json'
    return { method, headers: sent, body: readBody }
  }
  if (!hasBody(req)) return { method, headers: sent }
  const { length, body } = openBody(req, maxBody, check)
  if (headers['content-type'] !== undefined) sent['content-type'] = headers['content-type']
  if (length !== undefined) sent['content-length'] = length
  return { method, headers: sent, body: observation ? observedJson(req, body, observation) : body }
}

/** Returns the headers with the prefix, without those of this connection alone (RFC 9110 §7.6.1). @throws InvalidRequest */
function customHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const ofConnection = (headers.connection ?? '').toLowerCase().split(/[\s,]+/)
  const custom = Object.entries(headers).filter(([name]) => {
    const end = name.startsWith(customPrefix) ? name.slice(customPrefix.length) : ''
    return end !== '' && !credentialName.test(end) && !ofConnection.includes(name)
  })
  const bytes = custom.reduce((sum, [name, value]) => sum + name.length + String(value).length, 0)
  if (bytes > maxCustomBytes) {
    throw protocolError(
      'InvalidRequest',
      `The headers ${customPrefix}* may have ${maxCustomBytes} bytes together`,
    )
  }
  return Object.fromEntries(custom)
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0
}

/**
 * Returns a service token, signed by the account, for this method of this service. It is valid for a minute. Its audience is the DID
 * alone, as with the reference server, until services accept `did#service` (atproto proposal 0014).
 */
export function tokenFor(
  { did, account }: SessionCredentials,
  { did: aud }: Service,
  { called: lxm }: MethodName,
  now: Date,
): Promise<string> {
  const iat = Math.floor(now.getTime() / 1000)
  const exp = iat + tokenLifetime
  return createServiceJwt({ iss: did, aud, lxm, iat, exp, jti: randomId(), privateKey: account.signingKey })
}
