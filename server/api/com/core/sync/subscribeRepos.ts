import { com } from '../../../../../lexicons/generated/index.ts'
import { networkOf } from '../../../../platform/xrpc/sources.ts'
import { subscription } from '../../../method.ts'

export const subscribeRepos = subscription(com.core.sync.subscribeRepos, {
  auth: 'none',
  connections: 20,
  async *handler({ params, caller, repository: { eventStream }, signal, end }) {
    yield* eventStream.read(params.cursor, { network: networkOf(caller.address), signal, end })
  },
})
