/** Links as backlink services report them. Each is checked: a service may be wrong or lie. */
import { isValidDid, isValidNsid, isValidRecordKey, isValidTid } from '@atproto/syntax'
import type { RecordName } from '../../repository/tables/records.ts'
import { isObject, isString } from '../../util/json.ts'
import { collectionOf } from './sources.ts'

/** A record that refers to an account here or to its records, by the word of a service. */
export interface Link extends RecordName {
  /** Revision of the commit with the change; undefined if the service reports none. */
  readonly rev: string | undefined
}

/** A link of the live stream, with the DID of the account that it refers to. */
export type LiveLink = Link & { readonly subject: string }

/** Returns the link of a message; undefined if the message is malformed, or no link. */
export function readMessage(message: unknown): LiveLink | undefined {
  const link = isObject(message) && message.kind === 'link' ? message.link : undefined
  if (!isObject(link)) return undefined
  const { source, source_record: uri, source_rev: rev, subject } = link
  if (!isString(source) || !isString(uri) || !isString(subject)) return undefined
  const [, did, collection, rkey] = /^at:\/\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(uri) ?? []
  const record = readRecord({ did, collection, rkey })
  const about = /^(?:at:\/\/)?(did:[^/#?]+)(?:[/#?]|$)/.exec(subject)?.[1]
  if (!record || about === undefined || record.collection !== collectionOf(source)) return undefined
  return { ...record, rev: isValidTid(rev) ? rev : undefined, subject: about }
}

/** Returns the record that a service names; undefined if it is malformed. */
export function readRecord(value: unknown): Link | undefined {
  if (!isObject(value)) return undefined
  const { did, collection, rkey } = value
  return isValidDid(did) && isValidNsid(collection) && isValidRecordKey(rkey)
    ? { did, collection, rkey, rev: undefined }
    : undefined
}

/** Identifies the record of a link. */
export function keyOf({ did, collection, rkey }: Link): string {
  return `${did}/${collection}/${rkey}`
}
