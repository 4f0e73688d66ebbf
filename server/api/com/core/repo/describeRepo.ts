import { com } from '../../../../../lexicons/generated/index.ts'
import { documentFor, handleOf } from '../../../../identity/did/did-document.ts'
import { visibleRepo } from '../../../../repository/access/visible.ts'
import * as records from '../../../../repository/tables/records.ts'
import { requesterOf } from '../../../../util/requester.ts'
import { method } from '../../../method.ts'

export const describeRepo = method(com.core.repo.describeRepo, {
  auth: 'reader',
  async handler({ params, auth, caller, store, identity: { resolveDid }, origin }) {
    const { did, handle, signingKeyDid } = visibleRepo(store, params.repo, auth)
    const published = await resolveDid(did, { requester: requesterOf(caller, auth?.did) }).catch(
      () => undefined,
    )
    return {
      did,
      handle,
      didDoc: published ?? documentFor({ did, handle, origin, signingKey: signingKeyDid }),
      collections: records.collections(store, did),
      handleIsCorrect: published !== undefined && handleOf(published) === handle,
    }
  },
})
