/** The outgoing connections that the configuration allows. */
import type { com } from '../../../lexicons/generated/index.ts'
import { targets as pushTargets } from '../../app/tables/push-registrations.ts'
import { all as allUpstreams } from '../../federation/tables/upstreams.ts'
import type { Config } from '../../platform/config/config.ts'
import { isOnLocalNetwork } from '../../platform/xrpc/host.ts'
import type { Reader } from '../../store/database.ts'

type Outgoing = com.core.admin.getNetwork.Outgoing

/** Lists every reason for a request. The targets of mail contain no credentials. */
export function outgoingRequests(config: Config, store: Reader): Outgoing[] {
  const { plcUrl, relays, publicUrl, appViewUrl, smtpUrl } = config
  const asked = publicUrl === undefined ? [] : relays
  const seen = publicUrl === undefined ? [] : [...relays, ...(appViewUrl === undefined ? [] : [appViewUrl])]
  const push = pushTargets(store)
  const upstreams = allUpstreams(store).map(({ url }) => url)
  const backlinks = [config.backlinkStreamUrl, config.backlinkIndexUrl].filter((url) => url !== undefined)
  const reason = (purpose: Outgoing['purpose'], state: Outgoing['state'], targets: string[] = []) => ({
    purpose,
    state,
    targets,
  })
  const listed = (purpose: Outgoing['purpose'], urls: readonly string[]) =>
    reason(purpose, urls.length > 0 ? 'on' : 'off', [...new Set(urls.map(hostOf))])
  const setting = (purpose: Outgoing['purpose'], url: string | undefined) =>
    listed(purpose, url === undefined ? [] : [url])
  return [
    setting('directory', plcUrl),
    listed('relays', asked),
    // The owner asks what relays and the app view have of this server.
    reason('seen', seen.length > 0 ? 'onDemand' : 'off', seen.map(hostOf)),
    setting('appView', appViewUrl),
    reason('services', appViewUrl === undefined ? 'off' : 'onDemand'),
    listed('upstreams', upstreams),
    // An announcement at the start, and answers to those who look.
    reason('friends', isOnLocalNetwork(config) ? 'on' : 'off'),
    listed('backlinks', backlinks),
    listed('copies', config.copies.flatMap(serverOf)),
    reason('people', upstreams.length + backlinks.length > 0 ? 'onDemand' : 'off'),
    reason('push', push.length > 0 ? 'on' : 'onDemand', push),
    setting('mail', smtpUrl),
    reason('lookUps', 'onDemand'),
    reason('apps', config.oauth ? 'onDemand' : 'off'),
    reason('moves', 'onDemand'),
  ]
}

/** The server of a place of copies; nothing for a folder. */
function serverOf(place: string): string[] {
  const { protocol, host, searchParams } = new URL(place)
  if (protocol === 'file:') return []
  return [protocol === 's3:' ? (searchParams.get('endpoint') ?? 'https://amazonaws.com') : `https://${host}`]
}

function hostOf(url: string): string {
  return new URL(url).host
}
