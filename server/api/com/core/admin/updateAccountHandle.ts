import { com } from '../../../../../lexicons/generated/index.ts'
import { handleProblem, normalizeHandle } from '../../../../accounts/handle.ts'
import { emitIdentity } from '../../../../events/emit.ts'
import * as accounts from '../../../../store/tables/accounts.ts'
import { method } from '../../../method.ts'

export const updateAccountHandle = method(com.core.admin.updateAccountHandle, {
  auth: 'admin',
  async handler({ input, config, store, plc, background, now, fail }) {
    const { did } = input
    const handle = normalizeHandle(input.handle)
    const problem = handleProblem(handle, config.userDomains)
    if (problem) throw fail(problem.name, problem.message)
    await store.transact((tx) => {
      const before = accounts.findByDid(tx, did)
      if (!before) throw fail('NotFound', 'Account not found')
      const holder = accounts.findByHandle(tx, handle)
      if (holder && holder.did !== did) {
        throw fail('HandleNotAvailable', `${handle} is taken. Choose another handle.`)
      }
      if (before.handle === handle) return
      accounts.setHandle(tx, did, handle)
      emitIdentity(tx, did, now())
    })
    // The periodic job repeats a submission that fails.
    background.run('PLC submission', () => plc.publish(did))
  },
})
