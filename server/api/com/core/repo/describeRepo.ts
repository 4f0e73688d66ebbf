import { com } from '../../../../../lexicons/generated/index.ts'
import { documentFor, handleOf } from '../../../../identity/did-document.ts'
import { collectionsOf } from '../../../../records/named.ts'
import { visibleRepo } from '../../../../records/visible.ts'
import { requesterOf } from '../../../../util/requester.ts'
import { method } from '../../../method.ts'

export const describeRepo = method(com.core.repo.describeRepo, {
  auth: 'reader',
  async handler({ params, auth, caller, store, config, resolveDid, origin }) {
    const { did, handle, signingKeyDid } = visibleRepo(store, params.repo, auth)
    const published = await resolveDid(did, { requester: requesterOf(caller.source, auth?.did) }).catch(
      () => undefined,
    )
    return {
      did,
      handle,
      didDoc: published ?? documentFor({ did, handle, origin, signingKey: signingKeyDid }),
      collections: collectionsOf({ store, config }, did),
      handleIsCorrect: published !== undefined && handleOf(published) === handle,
    }
  },
})
