import { com } from '../../../../../lexicons/generated/index.ts'
import { isDidValid } from '../../../../identity/accounts/did-status.ts'
import { activationOf } from '../../../../identity/accounts/unactivated.ts'
import type { Reader } from '../../../../platform/store/database.ts'
import * as blobs from '../../../../platform/store/tables/blobs.ts'
import * as omitted from '../../../../platform/store/tables/omitted-records.ts'
import { privateStateValues } from '../../../../platform/store/tables/private-state.ts'
import * as records from '../../../../platform/store/tables/records.ts'
import * as repos from '../../../../platform/store/tables/repos.ts'
import { statusOf } from '../../../../repository/access/status.ts'
import { method } from '../../../method.ts'

/** Omitted records that a response lists. */
const maxListed = 100

export const checkAccountStatus = method(com.core.server.checkAccountStatus, {
  auth: 'access or takendown',
  async handler({ auth, fail, identity, repository: { room }, ...platform }) {
    const { did, account } = auth
    const validDid = await isDidValid({ ...platform, ...identity }, account)
    const { store } = platform
    const head = repos.findHead(store, did)
    if (!head) throw fail('AccountNotFound')
    const activation = activationOf(store, account)
    return {
      activated: statusOf(account) === undefined,
      deleteAfter: account.deleteAfter ?? activation?.activateBy,
      activation,
      validDid,
      repoCommit: head.commit,
      repoRev: head.rev,
      repoBlocks: repos.countBlocks(store, did),
      indexedRecords: records.count(store, did),
      omittedRecords: omittedRecords(store, did),
      privateStateValues: privateStateValues(store, did),
      expectedBlobs: records.countBlobs(store, did),
      importedBlobs: blobs.referencedTotal(store, did).count,
      mediaBytes: blobs.bytesOf(store, did),
      mediaLimit: room.mediaLimit(did),
    }
  },
})

function omittedRecords(db: Reader, did: string) {
  const count = omitted.count(db, did)
  return count === 0 ? undefined : { count, records: omitted.list(db, did, maxListed) }
}
