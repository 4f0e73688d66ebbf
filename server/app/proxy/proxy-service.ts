/** Services that calls are forwarded to: the app view of the configuration, or one that the client names. */
import { isValidDid } from '@atproto/syntax'
import { networkAppViews } from '../../identity/callers/method-permissions.ts'
import { serviceEndpointOf } from '../../identity/did/did-document.ts'
import { type ResolveDid, UnresolvableDid } from '../../identity/did/resolver.ts'
import type { Config } from '../../platform/config/config.ts'
import type { MethodName } from '../../platform/xrpc/incoming.ts'
import { protocolError, type XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import type { Requester } from '../../util/requester.ts'
import { failure } from './relay.ts'

export interface Service {
  readonly did: string
  /** Origin or base URL; undefined: where the service `fragment` of its DID document is. */
  readonly url: string | undefined
  /** The fragment of the service id, with its `#`. */
  readonly fragment: string
  /** The audience of scopes for its calls. Undefined for the app view, which answers in the place of this server. */
  readonly audience: string | undefined
}

/** App views have no video service: this server says so. */
const videos = 'app.example.video.'
/** Methods that this server answers whatever is configured, by prefix in lower case: accounts, records, notifications, videos. */
const ours = ['com.core.', 'com.atproto.', 'app.example.notification.', videos]
const ourMethods = ['app.example.actor.getpreferences', 'app.example.actor.putpreferences']
/** Another service may have preferences or videos of its own. Clients name the app view of the network in every call, also for ours. */
const readPreferences = 'app.example.actor.getpreferences'
const applications = 'app.example.'
/** A report goes to the service that the client names, though its method is one of ours. */
const reports = ['com.core.moderation.createreport', 'com.atproto.moderation.createreport']

/**
 * Returns the service that answers a call, with the audience for which its scopes are checked; undefined if this server does.
 * @throws InvalidRequest for a malformed header
 */
export function serviceFor(
  { called, nsid }: MethodName,
  header: string | undefined,
  { appView, serverDid }: { appView: Service; serverDid: string },
): Service | undefined {
  // Services may compare names case-insensitively. Even if no aliases are configured, the names of the network stand for ours.
  const names = [called.toLowerCase(), nsid.toLowerCase()]
  const isReport = names.some((name) => reports.includes(name))
  const isElsewhere =
    names.some((name) => name === readPreferences || name.startsWith(videos)) &&
    isOtherService(header, appView)
  if (
    !isReport &&
    !isElsewhere &&
    names.some((name) => ourMethods.includes(name) || ours.some((prefix) => name.startsWith(prefix)))
  ) {
    return undefined
  }
  if (header === undefined) return nsid.startsWith(applications) ? appView : undefined
  const [, did = '', fragment = ''] = /^([^#\s]+)(#[\w.-]{1,64})$/.exec(header) ?? []
  if (!isValidDid(did)) {
    throw protocolError('InvalidRequest', 'atproto-proxy must be a DID, # and the name of a service')
  }
  if (did === serverDid) return undefined
  return did === appView.did ? appView : { did, fragment, url: undefined, audience: did + fragment }
}

/** Whether a header names a service other than the app views of accounts here. */
function isOtherService(header: string | undefined, appView: Service): boolean {
  const did = header?.replace(/#.*/, '')
  return did !== undefined && did !== appView.did && !networkAppViews.includes(did)
}

/** Returns the app view of the configuration; undefined if there is none. */
export function appViewOf({ appViewDid, appViewUrl }: Config): Service | undefined {
  return appViewDid === undefined || appViewUrl === undefined
    ? undefined
    : { did: appViewDid, url: appViewUrl, fragment: '', audience: undefined }
}

/** Returns the URL of a service, without a trailing slash. @throws XrpcError `InvalidRequest`, `UpstreamFailure` */
export async function urlOf(
  { did, url, fragment }: Service,
  resolveDid: ResolveDid,
  { requester, signal }: { readonly requester: Requester; readonly signal: AbortSignal },
): Promise<string> {
  if (url !== undefined) return url
  const document = await resolveDid(did, { requester, signal }).catch((error: unknown) => {
    throw error instanceof UnresolvableDid ? unresolvable(error) : error
  })
  const endpoint = serviceEndpointOf(document, fragment)
  if (endpoint === undefined) throw protocolError('InvalidRequest', `${did} names no service ${fragment}`)
  return endpoint.replace(/\/+$/, '')
}

function unresolvable({ message, isOutage }: UnresolvableDid): XrpcError {
  return isOutage ? failure(`was not found: ${message}`) : protocolError('InvalidRequest', message)
}
