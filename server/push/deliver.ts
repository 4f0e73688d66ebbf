/** One attempt to deliver a notification: to the push service of a registration, or to a browser by Web Push. */

import type { Config } from '../config/config.ts'
import { type DidDocument, serviceEndpointOf } from '../identity/did-document.ts'
import { guardedFetch, OutboundRefused, type OutboundResponse } from '../identity/guarded-fetch.ts'
import { type ResolveDid, UnresolvableDid } from '../identity/resolver.ts'
import type { Secrets } from '../identity/secrets.ts'
import { createServiceJwt } from '../identity/service-jwt.ts'
import { parseMailbox } from '../mail/address.ts'
import type { Database } from '../store/database.ts'
import type { Delivery } from '../store/tables/push-queue.ts'
import { randomId } from '../util/random.ts'
import { type Push, pushOf } from './pushed.ts'
import type { PushRequest } from './request.ts'
import { isWebPush, parseSubscription } from './subscription.ts'
import { webPushRequest } from './web-push.ts'

interface Deps {
  readonly config: Config
  readonly store: Database
  readonly secrets: Secrets
  readonly resolveDid: ResolveDid
  readonly now: () => Date
}

export type Outcome =
  /** Delivered, or there is nothing to deliver any more. */
  | { readonly kind: 'done' }
  /** The device is not there any more. */
  | { readonly kind: 'gone' }
  /** Trying again will not help. `why` is safe to log, as below. */
  | { readonly kind: 'refused'; readonly why: string }
  /** Trying again may help, after `retryAfterMs` at the earliest. */
  | {
      readonly kind: 'failed'
      readonly why: string
      readonly retryAfterMs: number
      /** Whether the target is, and would take no other delivery either. */
      readonly isDown: boolean
    }

const deliverPush = 'app.example.notification.deliverPush'
/** The longest that a token is good for; in seconds. */
const tokenLifetime = 60
/** What is older is no news. */
const maxAgeMs = 24 * 60 * 60_000
const done: Outcome = { kind: 'done' }

/** @param signal ends the attempt: the outcome means nothing then */
export async function deliver(services: Deps, delivery: Delivery, signal: AbortSignal): Promise<Outcome> {
  const current = () => newsOf(services, delivery)
  if (!current()) return done
  try {
    const prepare = isWebPush(delivery)
      ? prepareWebPush(services, delivery)
      : await prepareForService(services, delivery, signal)
    // Finding the service took its time.
    const push = current()
    if (!push) return done
    const { url, ...request } = await prepare(push)
    const allowPrivate = services.config.allowPrivateTargets
    const response = await guardedFetch(url, { ...request, method: 'POST', allowPrivate, signal })
    return outcomeOf(response, services.now())
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown'
    return error instanceof OutboundRefused
      ? { kind: 'refused', why }
      : { kind: 'failed', why, retryAfterMs: 0, isDown: true }
  }
}

function newsOf(services: Deps, { did, notification }: Delivery): Push | undefined {
  const push = pushOf(services, did, notification)
  const isOld = push && services.now().getTime() - Date.parse(push.notification.indexedAt) > maxAgeMs
  return isOld ? undefined : push
}

type Prepare = (push: Push) => Promise<PushRequest>

/** A call of `deliverPush`, which proves by a token of the account's own key (atproto service auth) who is told. */
async function prepareForService(
  { resolveDid, now }: Deps,
  { did, signingKey: privateKey, serviceDid, token, platform, appId }: Delivery,
  signal: AbortSignal,
): Promise<Prepare> {
  const endpoint = pushEndpointOf(await resolveDid(serviceDid, { signal }))
  if (endpoint === undefined) throw new UnresolvableDid(`${serviceDid}: its document names no service`)
  return async ({ notification, unreadCount }) => {
    const iat = Math.floor(now().getTime() / 1000)
    const claims = { iss: did, aud: serviceDid, lxm: deliverPush, iat, exp: iat + tokenLifetime }
    const jwt = await createServiceJwt({ ...claims, jti: randomId(), privateKey })
    return {
      url: `${endpoint.replace(/\/+$/, '')}/xrpc/${deliverPush}`,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${jwt}` },
      body: JSON.stringify({
        did,
        token,
        platform,
        appId,
        notification: inShort(notification),
        unreadCount,
      }),
    }
  }
}

/** The same, but for the token: that is the address itself, and a message may have 4 kB at most (RFC 8030 §7.2). */
function prepareWebPush({ config, secrets }: Deps, { did, platform, appId, token }: Delivery): Prepare {
  const subscription = parseSubscription(token, config.allowPrivateTargets)
  if (!subscription) throw new OutboundRefused('The token is no Web Push subscription')
  const contact = config.contactEmail ?? parseMailbox(config.mailFrom)?.address ?? ''
  return ({ notification, unreadCount }) => {
    const payload = { did, platform, appId, notification: inShort(notification), unreadCount }
    return webPushRequest(subscription, JSON.stringify(payload), { key: secrets.vapidKey, contact })
  }
}

function pushEndpointOf(document: DidDocument): string | undefined {
  return serviceEndpointOf(document, '#notif') ?? serviceEndpointOf(document)
}

/** What a device needs in order to show it; the rest it can fetch. */
function inShort({ uri, reason, author, reasonSubject, indexedAt }: Push['notification']) {
  return { uri, reason, author, reasonSubject, indexedAt }
}

function outcomeOf({ status, headers }: OutboundResponse, now: Date): Outcome {
  if (status >= 200 && status < 300) return done
  if (status === 404 || status === 410) return { kind: 'gone' }
  const why = `answered ${status}`
  if (status < 500 && status !== 408 && status !== 429) return { kind: 'refused', why }
  const isDown = status === 429 || status === 503
  return { kind: 'failed', why, retryAfterMs: retryAfter(headers['retry-after'], now), isDown }
}

/** RFC 9110 §10.2.3: seconds, or a date. In milliseconds from now; 0 when there is neither. */
function retryAfter(value: string | undefined, now: Date): number {
  const text = value?.trim() ?? ''
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now.getTime()
  return ms > 0 ? Math.min(ms, maxAgeMs) : 0
}
