import { com } from '../../../../../lexicons/generated/index.ts'
import { refuseForeignPage } from '../../../../auth/foreign-page.ts'
import { subscription } from '../../../method.ts'

export const subscribeRepos = subscription(com.core.sync.subscribeRepos, {
  auth: 'none',
  connections: 20,
  async *handler({ params, caller, config, eventStream, signal }) {
    refuseForeignPage(caller, config)
    yield* eventStream.read(params.cursor, signal)
  },
})
