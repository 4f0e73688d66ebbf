/**
 * Forwards calls to an app view, or to a service that the client names in `atproto-proxy`. Read this first. `merge.ts` adds own fresh
 * writes to answers, `applied-here.ts` has the calls that are applied here as well.
 */
import { isValidNsid } from '@atproto/syntax'
import { needsPrivilege, scopes } from '../../identity/auth/scopes.ts'
import type { AuthWord, SessionCredentials } from '../../identity/callers/credentials.ts'
import type { ResolveDid } from '../../identity/did/resolver.ts'
import {
  createClient,
  RequestTooLong,
  ResponseTooLarge,
  ServerSilent,
} from '../../platform/network/client.ts'
import { OutboundRefused } from '../../platform/network/guard.ts'
import { createHeldBytes } from '../../platform/network/held-bytes.ts'
import { findForOwner } from '../../platform/network/names.ts'
import type { Platform } from '../../platform/platform.ts'
import type { IncomingCall } from '../../platform/xrpc/incoming.ts'
import type { CallMethod } from '../../platform/xrpc/internal-call.ts'
import type { Authorize } from '../../platform/xrpc/method.ts'
import type { Forward } from '../../platform/xrpc/router.ts'
import { keepPrivate } from '../../platform/xrpc/send.ts'
import { protocolError, XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import { clearDeadline, setDeadline } from '../../util/deadlines.ts'
import { createLimit, QueueFull } from '../../util/limit.ts'
import { type AppliedCall, isAppliedHere, readApplied } from './applied-here.ts'
import { requestFrom, tokenFor } from './forwarded-request.ts'
import type { FreshWrites } from './fresh-writes.ts'
import { isMerged, mergeInto } from './merge.ts'
import { appViewOf, type Service, serviceFor, urlOf } from './proxy-service.ts'
import { failure, maxErrorBytes, maxResponseBytes, relay } from './relay.ts'

/** Time limits of forwarded calls, in milliseconds. */
export interface ServiceTimes {
  /** Milliseconds for which a call waits for others to end. */
  readonly waitMs: number
  /** Milliseconds in which a service must send something. */
  readonly idleMs: number
  /** Milliseconds in which a client must read a megabyte of a held response. */
  readonly readMs: number
}

const defaultTimes: ServiceTimes = { waitMs: 5_000, idleMs: 15_000, readMs: 15_000 }
/** Milliseconds for a call of a service. */
const timeoutMs = 60_000

export interface ProxyOptions extends Pick<Platform, 'config' | 'findAddresses' | 'now' | 'log'> {
  readonly serverDid: string
  readonly resolveDid: ResolveDid
  readonly authorize: Authorize<AuthWord>
  /** Returns the recent writes of an account; undefined if there are none. */
  readonly freshWrites: (session: SessionCredentials, call: IncomingCall) => FreshWrites | undefined
  readonly callMethod: CallMethod
  /** Returns the DID of a handle; undefined if there is none. */
  readonly didOfHandle: (handle: string, account: string) => Promise<string | undefined>
  /** Called when a call is refused because too many are under way. */
  readonly onRefused: () => void
  readonly times?: Partial<ServiceTimes> | undefined
}

export interface ServiceProxy {
  readonly forward: Forward
  /** Closes the connections to services; calls under way fail. */
  close(): void
}

/**
 * Calls that run at once, in all and per account; further ones wait for their turn. Calls to the app view have places of their own,
 * as many as it gets connections: services that accounts name may never answer.
 */
const appViewCalls = { total: 64, perKey: 32, waiting: 500 }
const namedCalls = { total: 128, perKey: 16, waiting: 500 }

/** Creates the proxy. @returns undefined if no app view is configured */
export function createProxy(options: ProxyOptions): ServiceProxy | undefined {
  const { config, serverDid, resolveDid, findAddresses, authorize, freshWrites, now, log } = options
  const appView = appViewOf(config)
  if (!appView) return undefined
  const times = { ...defaultTimes, ...options.times }
  const openHolding = createHeldBytes()
  const closing = new AbortController()
  const client = {
    allowPrivate: config.allowPrivateTargets,
    timeoutMs,
    idleMs: times.idleMs,
    signal: closing.signal,
  }
  // The owner named the app view, accounts name the others.
  const appViewClient = createClient({ ...client, findAddresses: findForOwner })
  const othersClient = createClient({ ...client, findAddresses })
  const limits = { appView: createLimit(appViewCalls), named: createLimit(namedCalls) }

  /** @param check checks the credentials again @returns false if the response was not sent */
  async function send(
    service: Service,
    call: IncomingCall,
    session: SessionCredentials,
    check: () => unknown,
    applied: AppliedCall | undefined,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { name, query, req, res, observation } = call
    const fresh = service === appView && isMerged(name.nsid) ? freshWrites(session, call) : undefined
    const revise = fresh && mergeInto(name.nsid, query, fresh)
    try {
      const requester = { kind: 'account', key: session.did } as const
      const url = await urlOf(service, resolveDid, { requester, signal })
      const token = await tokenFor(session, service, name, now())
      const upstream = await (service === appView ? appViewClient : othersClient).open(
        `${url}/xrpc/${name.called}${query && `?${query}`}`,
        {
          ...requestFrom(req, { token, check, isRead: revise !== undefined, observation }, applied?.body),
          maxBytes: (status) => (status >= 500 ? maxErrorBytes : maxResponseBytes),
          signal,
        },
      )
      if (upstream.status >= 200 && upstream.status < 300) await applied?.apply(session)
      const holding = openHolding({ account: session.did, isAppView: service === appView })
      return await relay(upstream, res, { holding, readMs: times.readMs, revise })
    } catch (error) {
      const reason = asXrpcError(error)
      if (reason.status === 502 && !res.destroyed)
        log.warn({ service: service.did, nsid: name.nsid, err: error }, 'call to service failed')
      throw reason
    }
  }

  return {
    async forward(call, isKnown) {
      const { name, caller, req, res } = call
      if (!['GET', 'HEAD', 'POST'].includes(req.method ?? '') || !isValidNsid(name.called)) return false
      // Anyone may read the responses of this server itself.
      if (isKnown && req.headers.authorization === undefined) return false
      const service = serviceFor(name, req.headers['atproto-proxy']?.toString().trim(), {
        appView,
        serverDid,
      })
      if (!service) return false
      keepPrivate(res)
      const check = () =>
        authorize(
          { headers: req.headers, caller, observation: call.observation },
          { nsid: name.nsid, auth: 'access', active: req.method === 'POST', service: service.audience },
        )
      const principal = await check()
      if (call.observation) call.observation.principal = principal
      const session = principal.credentials as SessionCredentials
      if (session.scope === scopes.appPassword && needsPrivilege(name.nsid)) {
        throw protocolError('InvalidToken', 'Bad token method')
      }
      const over = new AbortController()
      const abort = () => over.abort(failure('cannot be reached, or broke off'))
      res.once('close', abort)
      closing.signal.addEventListener('abort', abort)
      const waiting = setDeadline(() => over.abort(busy()), times.waitMs)
      const isAppView = service === appView
      const answer = async () => {
        clearDeadline(waiting)
        // The session may have ended while the call waited.
        await check()
        const isApplied = isAppView && isAppliedHere(name.nsid) && req.method === 'POST'
        const applied = isApplied ? await readApplied(options, call, session.did) : undefined
        if (applied) await check()
        return send(service, call, session, check, applied, over.signal)
      }
      try {
        return await limits[isAppView ? 'appView' : 'named'](session.did, answer, over.signal)
      } catch (thrown) {
        const error = thrown instanceof QueueFull ? busy() : thrown
        if (error instanceof XrpcError && error.status === 503) options.onRefused()
        throw error
      } finally {
        clearDeadline(waiting)
        closing.signal.removeEventListener('abort', abort)
        res.off('close', abort)
        // Closes a response that was not read.
        over.abort()
      }
    },

    close: () => closing.abort(),
  }
}

/** The error of a call that has waited too long, or found no room to wait. */
function busy(): XrpcError {
  return new XrpcError('NotEnoughResources', 'Too many calls to other services are under way', {
    retryAfter: 5,
  })
}

/** Maps errors of connections to `UpstreamFailure`. */
function asXrpcError(error: unknown): XrpcError {
  if (error instanceof XrpcError) return error
  if (error instanceof OutboundRefused) return failure(`may not be contacted: ${error.message}`)
  if (error instanceof ServerSilent) return failure('does not answer')
  if (error instanceof RequestTooLong) return failure('takes too long')
  if (error instanceof ResponseTooLarge) return failure(`answered with more than ${maxResponseBytes} bytes`)
  return failure('cannot be reached, or broke off')
}
