/** The one file that knows web-push: requests to Web Push services (RFC 8030), encrypted (RFC 8291) and signed (RFC 8292). */
import type { VapidKey } from '../identity/secrets.ts'
import type { PushRequest } from './request.ts'
import type { Subscription } from './subscription.ts'

/** How long a push service keeps what it cannot deliver; in seconds. */
const keepFor = 24 * 60 * 60

/** @param contact mail address at which the operator of a push service reaches the owner of this server */
export async function webPushRequest(
  subscription: Subscription,
  payload: string,
  { key, contact }: { key: VapidKey; contact: string },
): Promise<PushRequest> {
  // Loaded with the first delivery: most servers never make one.
  const { default: webPush } = await import('web-push')
  const { endpoint, headers, body } = webPush.generateRequestDetails(subscription, payload, {
    vapidDetails: { subject: `mailto:${contact}`, ...key },
    TTL: keepFor,
  })
  const asText = Object.entries(headers).map(([name, value]) => [name, String(value)])
  return { url: endpoint, headers: Object.fromEntries(asText), body: body ?? '' }
}
