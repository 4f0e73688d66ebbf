/**
 * Push services: they have the method `deliverPush`, and their DID documents name them `#notif`. Other services get no notification:
 * services of the network (`#bsky_notif`) have another method, and must not see notifications of a private server.
 */
import { serviceEndpointOf } from '../../identity/did/did-document.ts'
import type { ResolveDid, ResolveOptions } from '../../identity/did/resolver.ts'

export const deliverPush = 'app.example.notification.deliverPush'
const fragment = '#notif'

export class UnsupportedService extends Error {
  override name = 'UnsupportedService'
}

/**
 * Returns the base URL of a push service, without a trailing slash.
 * @throws UnresolvableDid, and UnsupportedService if the document does not name it
 */
export async function findPushService(
  resolveDid: ResolveDid,
  did: string,
  options: ResolveOptions,
): Promise<string> {
  const endpoint = serviceEndpointOf(await resolveDid(did, options), fragment)
  if (endpoint === undefined) {
    throw new UnsupportedService(`${did} is no push service for this server: its document has no ${fragment}`)
  }
  return endpoint.replace(/\/+$/, '')
}
