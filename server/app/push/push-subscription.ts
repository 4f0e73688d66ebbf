/** Web Push subscriptions, as a browser serializes them (W3C Push API, `PushSubscription.toJSON`). */
import { ECDH } from 'node:crypto'
import { isObject, isString, parseJson } from '../../util/json.ts'
import type { PushRegistration } from '../tables/push-registrations.ts'

export interface Subscription {
  readonly endpoint: string
  readonly keys: { readonly p256dh: string; readonly auth: string }
}

/** Whether the token has the form of a subscription. Only its push service can interpret any other token. */
export function isWebPush({ platform, token }: Pick<PushRegistration, 'platform' | 'token'>): boolean {
  return platform === 'web' && /^\s*\{/.test(token)
}

/** Parses a subscription; undefined if it is invalid. `allowHttp` also allows plain HTTP endpoints. */
export function parseSubscription(token: string, allowHttp: boolean): Subscription | undefined {
  const value = parseJson(Buffer.from(token))
  if (!isObject(value) || !isString(value.endpoint) || !isObject(value.keys)) return undefined
  const url = URL.parse(value.endpoint)
  if (!url || !(url.protocol === 'https:' || (allowHttp && url.protocol === 'http:'))) return undefined
  const { p256dh, auth } = value.keys
  if (!isString(p256dh) || !isString(auth) || !isPoint(p256dh)) return undefined
  // RFC 8291 §3.2.
  if (Buffer.from(auth, 'base64url').length !== 16) return undefined
  return { endpoint: url.href, keys: { p256dh, auth } }
}

/** The target of a registration's pushes: the origin of a subscription's endpoint, or the service DID. */
export function targetOf(registration: PushRegistration): string {
  const subscription = isWebPush(registration) ? parseSubscription(registration.token, true) : undefined
  return subscription ? new URL(subscription.endpoint).origin : registration.serviceDid
}

/** Whether a key is an uncompressed point of P-256. */
function isPoint(key: string): boolean {
  const bytes = Buffer.from(key, 'base64url')
  if (bytes.length !== 65) return false
  try {
    ECDH.convertKey(bytes, 'prime256v1')
    return true
  } catch {
    return false
  }
}
