/** One attempt to deliver a notification: to the push service of a registration, or to a browser by Web Push. */

import type { ResolveDid } from '../../identity/did/resolver.ts'
import type { Secrets } from '../../identity/did/server-secrets.ts'
import { createServiceJwt } from '../../identity/did/service-jwt.ts'
import type { Names } from '../../platform/config/aliases.ts'
import { parseMailbox } from '../../platform/mail/address.ts'
import { guardedFetch, type OutboundResponse } from '../../platform/network/client.ts'
import { OutboundRefused } from '../../platform/network/guard.ts'
import type { Platform } from '../../platform/platform.ts'
import { callerRename } from '../../repository/records/rename.ts'
import { randomId } from '../../util/random.ts'
import { retryAfter } from '../../util/retry-after.ts'
import { type Delivery, exists } from '../tables/push-queue.ts'
import type { CreateViewContext } from '../views/load/context.ts'
import { deliverPush, findPushService, UnsupportedService } from './push-service.ts'
import { isWebPush, parseSubscription } from './push-subscription.ts'
import { type Push, pushOf } from './pushed.ts'
import { type PushRequest, webPushRequest } from './web-push.ts'

export interface DeliverDeps
  extends Pick<Platform, 'config' | 'names' | 'store' | 'findAddresses' | 'origin' | 'now'> {
  readonly secrets: Secrets
  readonly resolveDid: ResolveDid
  readonly viewContext: CreateViewContext
  /** While it is implausible, no notification is too old. */
  readonly clock: { isPlausible(): boolean }
}

export type Outcome =
  /** Delivered, or nothing to deliver any more; see `duePush`. */
  | { readonly kind: 'done' }
  /** The device has unregistered at its push service. */
  | { readonly kind: 'unregistered' }
  /** The push service lacks the method that delivers. */
  | { readonly kind: 'unsupported'; readonly reason: string }
  /** A retry would fail too. `reason` is safe to log. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** A retry may succeed, after `retryAfterMs` at the earliest. */
  | {
      readonly kind: 'failed'
      readonly reason: string
      readonly retryAfterMs: number
      /** Whether the target is down: its other deliveries wait too. */
      readonly isDown: boolean
    }

/** Lifetime of a service token, in seconds. */
const tokenLifetime = 60
/** Older notifications are not delivered. */
const maxAgeMs = 24 * 60 * 60_000
const done: Outcome = { kind: 'done' }

/** Attempts a delivery. @param signal aborts it; the outcome is then meaningless */
export async function deliver(
  services: DeliverDeps,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<Outcome> {
  const current = () => (exists(services.store, delivery) ? duePush(services, delivery) : undefined)
  if (!current()) return done
  try {
    const prepare = isWebPush(delivery)
      ? prepareWebPush(services, delivery)
      : await prepareForService(services, delivery, signal)
    // The notification may have changed during the look-up, and the device may have unregistered.
    const push = current()
    if (!push) return done
    const { url, ...request } = await prepare(push)
    const { config, findAddresses } = services
    const allowPrivate = config.allowPrivateTargets
    const options = { ...request, method: 'POST', allowPrivate, findAddresses, signal } as const
    const response = await guardedFetch(url, options)
    return outcomeOf(response, services.now())
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown'
    if (error instanceof UnsupportedService) return { kind: 'unsupported', reason }
    return isAddressRefused(error)
      ? { kind: 'refused', reason }
      : { kind: 'failed', reason, retryAfterMs: 0, isDown: true }
  }
}

/** Whether the address of the device, or of the document of its push service, is one that this server does not contact. */
function isAddressRefused(error: unknown): boolean {
  return (
    error instanceof OutboundRefused || (error instanceof Error && error.cause instanceof OutboundRefused)
  )
}

/** Returns the push as it is now; undefined if preferences, status or age exclude it. */
function duePush(services: DeliverDeps, { did, notification }: Delivery): Push | undefined {
  const push = pushOf(services, did, notification)
  const isOld = push && services.now().getTime() - Date.parse(push.notification.indexedAt) > maxAgeMs
  return isOld && services.clock.isPlausible() ? undefined : push
}

type Prepare = (push: Push) => Promise<PushRequest>

/** Prepares a call of `deliverPush`. A service token, signed with the account's key, identifies the recipient. */
async function prepareForService(
  { resolveDid, names, now }: DeliverDeps,
  { did, signingKey: privateKey, serviceDid, token, platform, appId, called }: Delivery,
  signal: AbortSignal,
): Promise<Prepare> {
  const endpoint = await findPushService(resolveDid, serviceDid, { signal })
  return async ({ notification, unreadCount }) => {
    const iat = Math.floor(now().getTime() / 1000)
    const claims = { iss: did, aud: serviceDid, lxm: deliverPush, iat, exp: iat + tokenLifetime }
    const jwt = await createServiceJwt({ ...claims, jti: randomId(), privateKey })
    return {
      url: `${endpoint}/xrpc/${deliverPush}`,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${jwt}` },
      body: JSON.stringify({
        did,
        token,
        platform,
        appId,
        notification: summaryOf(notification, names, called),
        unreadCount,
      }),
    }
  }
}

/** Prepares a Web Push request. Its token is the subscription; a message has 4 kB at most (RFC 8030 §7.2). */
function prepareWebPush(
  { config, names, secrets }: DeliverDeps,
  { did, platform, appId, token, called }: Delivery,
): Prepare {
  const subscription = parseSubscription(token, config.allowPrivateTargets)
  if (!subscription) throw new OutboundRefused('The token is not a Web Push subscription')
  const contact = config.contactEmail ?? parseMailbox(config.mailFrom)?.address ?? ''
  return ({ notification, unreadCount }) => {
    const payload = {
      did,
      platform,
      appId,
      notification: summaryOf(notification, names, called),
      unreadCount,
    }
    return webPushRequest(subscription, JSON.stringify(payload), { key: secrets.vapidKey, contact })
  }
}

/**
 * Reduces a notification to the properties that a device shows; the device can fetch the rest. The relations of the recipient to the
 * author stay hidden from the push service.
 * @param called the name of the registration: URIs have the names that its client uses
 */
function summaryOf(
  { uri, reason, author, reasonSubject, indexedAt }: Push['notification'],
  names: Names,
  called: string,
) {
  const { did, handle, displayName, avatar } = author
  const named = callerRename(names, called)?.stored?.uri ?? ((stored: string) => stored)
  return {
    ...{ uri: named(uri), reason, author: { did, handle, displayName, avatar } },
    ...{ reasonSubject: reasonSubject && named(reasonSubject), indexedAt },
  }
}

function outcomeOf({ status, headers }: OutboundResponse, now: Date): Outcome {
  if (status >= 200 && status < 300) return done
  if (status === 404 || status === 410) return { kind: 'unregistered' }
  const reason = `answered ${status}`
  if (status < 500 && status !== 408 && status !== 429) return { kind: 'refused', reason }
  const isDown = status === 429 || status === 503
  const retryAfterMs = Math.min(retryAfter(headers['retry-after'], now), maxAgeMs)
  return { kind: 'failed', reason, retryAfterMs, isDown }
}
