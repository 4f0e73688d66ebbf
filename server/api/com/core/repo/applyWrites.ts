import type { l } from '@atproto/lex-schema'
import type { NsidString, RecordKeyString } from '@atproto/syntax'
import { com } from '../../../../../lexicons/generated/index.ts'
import { findSchemaFor } from '../../../../identity/callers/session-schemas.ts'
import { protocolError } from '../../../../platform/xrpc/xrpc-errors.ts'
import { maxChanges } from '../../../../repository/events/frames.ts'
import type { Draft } from '../../../../repository/records/draft.ts'
import {
  type PreparedRecord,
  type PrepareOptions,
  prepareRecord,
} from '../../../../repository/records/prepare.ts'
import { recordUri } from '../../../../repository/records/record-uri.ts'
import { checkOwnRepo, checkSwap, maxRecordBody } from '../../../../repository/records/writing.ts'
import { method } from '../../../method.ts'

const lexicon = com.core.repo.applyWrites

export const applyWrites = method(lexicon, {
  auth: 'access',
  active: true,
  maxBody: maxRecordBody,
  async handler({ input, auth, store, repository: { repositories }, identity, names, fail }) {
    checkOwnRepo(input.repo, auth.account)
    if (input.writes.length > maxChanges) {
      throw fail('InvalidRequest', `At most ${maxChanges} writes are allowed in one call`)
    }
    const options = {
      did: auth.did,
      names,
      newKey: repositories.newKey,
      findSchema: findSchemaFor({ store, identity }, auth.sessionId),
    }
    const writes: Write[] = []
    for (const write of input.writes) writes.push(await prepareWrite(write, input.validate, options))
    for (const { collection, action } of writes) auth.permissions?.requireRepo(collection, action)
    const commit = await repositories.write(auth.did, (draft) => {
      checkSwap(input, draft)
      for (const write of writes) apply(write, draft)
    })
    identity.uses.note(auth.account, 'writes', writes.length)
    const results = writes.map(({ $type, record }) => {
      // The result of `#create` is `#createResult`.
      const result = { $type: `${$type}Result` as l.Unknown$Type }
      if (!record) return result
      const { collection, rkey, cid, validationStatus } = record
      return { ...result, uri: recordUri(auth.did, collection, rkey), cid, validationStatus }
    })
    return { commit, results }
  },
})

interface Write {
  readonly $type: string
  readonly collection: NsidString
  readonly rkey: RecordKeyString
  readonly action: 'create' | 'update' | 'delete'
  /** Undefined deletes. */
  readonly record: PreparedRecord | undefined
  /** Whether the record must exist before the write. Deleting a missing record does nothing. */
  readonly replaces: boolean
}

async function prepareWrite(
  write: { $type: string },
  validate: boolean | undefined,
  options: PrepareOptions,
): Promise<Write> {
  const { $type } = write
  if (lexicon.delete.$matches(write)) {
    const { collection, rkey } = write
    const stored = options.names.stored(collection)
    return { $type, collection: stored, rkey, action: 'delete', record: undefined, replaces: false }
  }
  const replaces = lexicon.update.$matches(write)
  if (!replaces && !lexicon.create.$matches(write)) {
    throw protocolError('InvalidRequest', `${$type} is not a valid write`)
  }
  const record = await prepareRecord({ ...write, record: write.value, validate }, options)
  const { collection, rkey } = record
  return { $type, collection, rkey, action: replaces ? 'update' : 'create', record, replaces }
}

function apply({ collection, rkey, record, replaces }: Write, draft: Draft): void {
  const exists = draft.find(collection, rkey) !== undefined
  if (record && exists !== replaces) {
    const state = exists ? 'already exists' : 'does not exist'
    throw protocolError('InvalidRequest', `Record ${collection}/${rkey} ${state}`)
  }
  if (record) draft.put(record)
  else draft.remove(collection, rkey)
}
