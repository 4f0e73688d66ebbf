/** What this server may send to other machines, from its configuration. */
import type { com } from '../../lexicons/generated/index.ts'
import type { Config } from '../config/config.ts'
import type { Reader } from '../store/database.ts'
import { targets as pushTargets } from '../store/tables/push-registrations.ts'

type Outgoing = com.core.admin.getNetwork.Outgoing

/** Lists every reason for a request. The targets of mail contain no credentials. */
export function outgoingRequests(config: Config, store: Reader): Outgoing[] {
  const { plcUrl, relays, publicUrl, appViewUrl, smtpUrl } = config
  const asked = publicUrl === undefined ? [] : relays
  const push = pushTargets(store)
  const reason = (purpose: Outgoing['purpose'], state: Outgoing['state'], targets: string[] = []) => ({
    purpose,
    state,
    targets,
  })
  const setting = (purpose: Outgoing['purpose'], url: string | undefined) =>
    reason(purpose, url === undefined ? 'off' : 'on', url === undefined ? [] : [hostOf(url)])
  return [
    setting('directory', plcUrl),
    reason('relays', asked.length > 0 ? 'on' : 'off', asked.map(hostOf)),
    setting('appView', appViewUrl),
    reason('services', appViewUrl === undefined ? 'off' : 'onDemand'),
    reason('push', push.length > 0 ? 'on' : 'onDemand', push),
    setting('mail', smtpUrl),
    reason('lookUps', 'onDemand'),
    reason('moves', 'onDemand'),
  ]
}

function hostOf(url: string): string {
  return new URL(url).host
}
