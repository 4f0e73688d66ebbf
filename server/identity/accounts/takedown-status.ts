/** Records and blobs as subjects of getSubjectStatus and updateSubjectStatus. */
import type { AtUriString, DidString, NsidString } from '@atproto/syntax'
import { com } from '../../../lexicons/generated/index.ts'
import type { Names } from '../../platform/config/aliases.ts'
import { findByIdentifier } from '../../repository/access/identifier.ts'
import { recordUri } from '../../repository/records/record-uri.ts'
import * as blobs from '../../repository/tables/blobs.ts'
import * as records from '../../repository/tables/records.ts'
import type { Reader, Writer } from '../../store/database.ts'
import * as takedowns from '../../store/tables/takedowns.ts'

/** A record or a blob of an account here. */
export interface TakedownSubject {
  takedown(db: Reader): takedowns.Takedown | undefined
  /** @param takedown undefined: lifts it */
  set(tx: Writer, takedown: takedowns.Takedown | undefined): void
  readonly view:
    | (com.core.repo.strongRef.Main & { readonly $type: 'com.core.repo.strongRef' })
    | (com.core.admin.defs.RepoBlobRef & { readonly $type: 'com.core.admin.defs#repoBlobRef' })
}

/** Returns the record at an AT URI, in its present version; undefined if no account here has it. */
export function recordSubject(db: Reader, names: Names, uri: AtUriString): TakedownSubject | undefined {
  const [authority = '', collection, rkey] = uri.slice('at://'.length).split(/[/#]/)
  const account = findByIdentifier(db, authority)
  if (!account || !collection || !rkey) return undefined
  const record = records.find(db, account.did, names.stored(collection), rkey)
  if (!record) return undefined
  return {
    takedown: (reader) => takedowns.ofRecord(reader, record.id),
    set: (tx, takedown) => takedowns.setOfRecord(tx, record.id, takedown),
    view: com.core.repo.strongRef.$build({
      uri: recordUri(account.did, record.collection as NsidString, record.rkey),
      cid: record.cid,
    }),
  }
}

/** Returns a blob that an account here has uploaded; undefined if there is none. */
export function blobSubject(db: Reader, did: DidString, cid: string): TakedownSubject | undefined {
  if (!blobs.isUploaded(db, did, cid)) return undefined
  return {
    takedown: (reader) => takedowns.ofBlob(reader, did, cid),
    set: (tx, takedown) => takedowns.setOfBlob(tx, did, cid, takedown),
    view: com.core.admin.defs.repoBlobRef.$build({ did, cid }),
  }
}

/** The status of a record or blob, for responses. */
export function takedownStatus(db: Reader, subject: TakedownSubject) {
  const takedown = subject.takedown(db)
  return {
    subject: subject.view,
    takedown: { applied: takedown !== undefined, ref: takedown?.ref ?? undefined },
  }
}
