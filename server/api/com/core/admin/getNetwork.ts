import { com } from '../../../../../lexicons/generated/index.ts'
import { backlinkView } from '../../../../federation/backlinks/backlinks-view.ts'
import type { IntakeUsage } from '../../../../federation/remote/intake.ts'
import { localAddresses } from '../../../../operation/doctor/local-addresses.ts'
import { outgoingRequests } from '../../../../operation/doctor/outgoing.ts'
import { relayViews } from '../../../../operation/doctor/relays.ts'
import { opensToNetwork } from '../../../../platform/xrpc/host.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

export const getNetwork = method(com.core.admin.getNetwork, {
  auth: 'admin',
  async handler({ config, port, proxyPort, startedWith, store, repository, federation, refusals }) {
    const { backlinks, intake } = federation
    const isOpen = opensToNetwork(config.hosts)
    return {
      way: config.publicUrl !== undefined ? 'public' : isOpen ? 'localNetwork' : 'thisComputer',
      publicUrl: config.publicUrl,
      port,
      addresses: isOpen ? localAddresses(port) : [],
      trustedProxies: [...config.trustedProxies],
      proxyPort,
      trustedOrigins: [...config.trustedOrigins],
      blobUploadLimit: config.blobUploadLimit,
      relays: relayViews(repository.relays),
      events: repository.budget.usage(store),
      backlinks: backlinks && backlinkView(backlinks),
      remoteRecords: remoteRecordsView(await intake.usage()),
      outgoing: outgoingRequests(config, store),
      refused: { ...refusals },
      startedWith: startedWith && { options: [...startedWith.options], secrets: [...startedWith.secrets] },
    }
  },
})

function remoteRecordsView({ lastRefusedAt, ...usage }: IntakeUsage) {
  return { ...usage, lastRefusedAt: lastRefusedAt && iso(lastRefusedAt) }
}
