/** Relays: their states as clients see them, and the check. */
import type { com } from '../../../lexicons/generated/index.ts'
import type { Relays } from '../../repository/events/relays.ts'
import { iso } from '../../util/time.ts'
import { type Check, failed, ok, warning } from './check.ts'

export function relayViews(relays: Pick<Relays, 'state'>): com.core.admin.getNetwork.Relay[] {
  return relays.state().map(({ url, lastContact, lastError }) => ({
    url,
    lastContactAt: lastContact && iso(lastContact),
    lastError,
  }))
}

/** Relays read a server after a request to do so. Indexes of the network learn of its accounts through a relay only. */
export function checkRelays(relays: Pick<Relays, 'state'>): Check {
  const name = 'relays'
  const states = relays.state()
  if (states.length === 0) {
    return warning(name, 'No relay is set, so indexes of the network do not find this server.', 'setRelays')
  }
  const broken = states.find(({ lastError }) => lastError !== undefined)
  if (broken)
    return failed(name, `A relay did not accept the last request: ${broken.lastError}.`, 'setRelays')
  const waiting = states.find(({ lastContact }) => lastContact === undefined)
  return waiting
    ? warning(name, `${waiting.url} was not asked to read this server yet.`)
    : ok(name, `${states.length === 1 ? 'The relay has' : 'All relays have'} accepted the last request.`)
}
