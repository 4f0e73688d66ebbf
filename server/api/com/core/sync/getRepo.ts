import { com } from '../../../../../lexicons/generated/index.ts'
import type { ReaderCredentials } from '../../../../identity/callers/credentials.ts'
import { perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import type { Caller } from '../../../../platform/xrpc/method.ts'
import { visibleRepo } from '../../../../repository/access/visible.ts'
import { carType } from '../../../../repository/format/car.ts'
import { method } from '../../../method.ts'

export const getRepo = method(com.core.sync.getRepo, {
  auth: 'reader',
  limits: [perFiveMinutes(100, 'address')],
  async handler({ params, auth, caller, store, repository: { exports }, fail }) {
    const { did } = visibleRepo(store, params.did, auth)
    const body = await exports.open(did, { reader: readerOf(auth, caller), since: params.since })
    if (!body) throw fail('RepoNotFound')
    return { encoding: carType, body }
  },
})

/** An account may use its own exports from any address, whatever others do from the same one. */
function readerOf(auth: ReaderCredentials | undefined, caller: Caller): string {
  return auth === undefined ? caller.source : (auth.did ?? 'admin')
}
