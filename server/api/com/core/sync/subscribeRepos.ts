import { com } from '../../../../../lexicons/generated/index.ts'
import { subscription } from '../../../method.ts'

export const subscribeRepos = subscription(com.core.sync.subscribeRepos, {
  auth: 'none',
  connections: 20,
  async *handler({ params, eventStream, signal }) {
    yield* eventStream.read(params.cursor, signal)
  },
})
