import { com } from '../../../../../lexicons/generated/index.ts'
import * as pushRegistrations from '../../../../app/tables/push-registrations.ts'
import { isDidValid } from '../../../../identity/accounts/did-status.ts'
import { activationOf } from '../../../../identity/accounts/unactivated.ts'
import * as blobs from '../../../../repository/tables/blobs.ts'
import * as omitted from '../../../../repository/tables/omitted-records.ts'
import * as records from '../../../../repository/tables/records.ts'
import * as repos from '../../../../repository/tables/repos.ts'
import type { Reader } from '../../../../store/database.ts'
import { statusOf } from '../../../../store/tables/account-status.ts'
import { privateStateValues } from '../../../../store/tables/private-state.ts'
import { method } from '../../../method.ts'

/** Omitted records that a response lists. */
const maxListed = 100

export const checkAccountStatus = method(com.core.server.checkAccountStatus, {
  auth: 'access or takendown',
  async handler({ auth, fail, identity, repository: { room, counts }, ...platform }) {
    const { did, account } = auth
    const validDid = await isDidValid({ ...platform, ...identity }, account)
    const { store } = platform
    const counted = await counts.of(did)
    const imported = await counts.referencedBlobs(did)
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
      repoBlocks: counted.blocks,
      indexedRecords: records.count(store, did),
      omittedRecords: omittedRecords(store, did),
      privateStateValues: privateStateValues(store, did),
      expectedBlobs: counted.blobs,
      importedBlobs: imported.count,
      pushDevices: pushRegistrations.count(store, did),
      mediaBytes: blobs.bytesOf(store, did),
      mediaLimit: room.mediaLimit(did),
    }
  },
})

function omittedRecords(db: Reader, did: string) {
  const count = omitted.count(db, did)
  return count === 0 ? undefined : { count, records: omitted.list(db, did, maxListed) }
}
