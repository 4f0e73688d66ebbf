/** Creates requests to Web Push services (RFC 8030), encrypted (RFC 8291) and signed (RFC 8292). Only this file imports web-push. */
import type { VapidKey } from '../../identity/did/server-secrets.ts'
import type { Subscription } from './push-subscription.ts'

/** A request that pushes a notification. */
export interface PushRequest {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string | Uint8Array
}

/** How long a push service keeps a message that it cannot deliver, in seconds. */
const timeToLive = 24 * 60 * 60

/**
 * Creates the request that delivers a payload.
 * @param contact email address of the owner of this server, for the operators of push services
 */
export async function webPushRequest(
  subscription: Subscription,
  payload: string,
  { key, contact }: { key: VapidKey; contact: string },
): Promise<PushRequest> {
  // Loaded with the first delivery, because most servers have none.
  const { default: webPush } = await import('web-push')
  const { endpoint, headers, body } = webPush.generateRequestDetails(subscription, payload, {
    vapidDetails: { subject: `mailto:${contact}`, ...key },
    TTL: timeToLive,
  })
  const asText = Object.entries(headers).map(([name, value]) => [name, String(value)])
  return { url: endpoint, headers: Object.fromEntries(asText), body: body ?? '' }
}
