import { com } from '../../../../../lexicons/generated/index.ts'
import { findSchemaFor } from '../../../../identity/callers/session-schemas.ts'
import { prepareRecord } from '../../../../repository/records/prepare.ts'
import { recordUri } from '../../../../repository/records/record-uri.ts'
import { checkOwnRepo, checkSwap, maxRecordBody } from '../../../../repository/records/writing.ts'
import { method } from '../../../method.ts'

export const putRecord = method(com.core.repo.putRecord, {
  auth: 'access',
  active: true,
  maxBody: maxRecordBody,
  async handler({ input, auth, store, repository: { repositories }, identity, names }) {
    checkOwnRepo(input.repo, auth.account)
    const options = {
      did: auth.did,
      names,
      newKey: repositories.newKey,
      findSchema: findSchemaFor({ store, identity }, auth.sessionId),
    }
    const record = await prepareRecord(input, options)
    const { collection, rkey, cid, validationStatus } = record
    const commit = await repositories.write(auth.did, (draft) => {
      const existing = draft.find(collection, rkey)
      auth.permissions?.requireRepo(collection, existing ? 'update' : 'create')
      checkSwap(input, draft, existing)
      draft.put(record)
    })
    identity.uses.note(auth.account, 'writes')
    return { uri: recordUri(auth.did, collection, rkey), cid, commit, validationStatus }
  },
})
