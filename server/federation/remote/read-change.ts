/** Reads changes of records of other servers. Their content is arbitrary: whatever is not a readable record of its collection is refused. */
import type { LexMap } from '@atproto/lex-data'
import { type AtUriString, isValidDid, isValidRecordKey, type RecordKeyString } from '@atproto/syntax'
import type { Names } from '../../platform/config/aliases.ts'
import { collections } from '../../platform/config/nsids.ts'
import { blobRefsIn } from '../../repository/blobs/references.ts'
import { decodeMap } from '../../repository/format/decode-map.ts'
import { isReadable } from '../../repository/records/import/verify.ts'
import { linksOf } from '../../repository/records/links.ts'
import { recordUri } from '../../repository/records/record-uri.ts'
import { withOwnTypes } from '../../repository/records/rename.ts'
import { subjectReader } from '../../repository/records/subjects.ts'
import type { Link } from '../../repository/tables/links.ts'
import type { Reader } from '../../store/database.ts'
import { idOf } from '../../store/tables/collections.ts'
import { cidBytes } from '../../util/cid.ts'
import { instant } from '../../util/time.ts'
import type { RemoteChange } from './change.ts'

/** A record of another server. */
export interface RemoteName extends Pick<RemoteChange, 'did' | 'rkey' | 'collection'> {
  /** Our name of the collection. */
  readonly kind: string
}

/** Collections of records that are stored, by our names; the others have no meaning here. */
const storedCollections: ReadonlySet<string> = new Set([
  collections.profile,
  collections.status,
  collections.generator,
  collections.like,
  collections.post,
  collections.postgate,
  collections.repost,
  collections.threadgate,
  collections.block,
  collections.follow,
  collections.list,
  collections.listitem,
  collections.starterpack,
  collections.verification,
  collections.labeler,
  collections.notifications,
  collections.chat,
  collections.germ,
])

/** Returns undefined for a collection that is unused here, and for an invalid key. */
export function nameOf({ did, collection, rkey }: RemoteChange, names: Names): RemoteName | undefined {
  const kind = names.own(collection)
  if (!storedCollections.has(kind) || names.stored(collection) !== collection) return undefined
  return isValidDid(did) && isValidRecordKey(rkey) ? { did, collection, rkey, kind } : undefined
}

/** The record as a change leaves it. */
export interface RemoteContent {
  readonly uri: AtUriString
  /** With our `$type`s. */
  readonly record: LexMap
  readonly links: readonly Link[]
  /** CIDs of the blobs that it names. */
  readonly blobs: readonly string[]
}

/** Several times the limit of the lexicons; unknown members have no use here. */
const maxBytes = 50_000
/** A post shows ten pictures at most. */
const maxBlobs = 12

/** Returns undefined if the record cannot be read, has another type than its collection, or refers to a record by a handle. */
export function readContent(
  { did, collection, rkey }: Pick<RemoteChange, 'did' | 'collection' | 'rkey'>,
  bytes: Uint8Array,
  { db, names }: { readonly db: Reader; readonly names: Names },
): RemoteContent | undefined {
  if (bytes.length > maxBytes) return undefined
  const map = decodeMap(bytes)
  if (!map || !isReadable(map)) return undefined
  const record = withOwnTypes(map, names)
  const kind = names.own(collection)
  if (record.$type !== kind) return undefined
  // A handle may be that of an account here, and mean another one elsewhere.
  let isAmbiguous = false
  const read = subjectReader(() => {
    isAmbiguous = true
    return undefined
  }, names)
  const links = linksOf(kind, record, read)
  if (isAmbiguous) return undefined
  return {
    uri: recordUri(did, collection, rkey as RecordKeyString),
    record,
    links: links.filter(({ record: subject }) => !subject || isNamed(subject.collection, db, names)),
    blobs: [...blobsIn(map)].slice(0, maxBlobs),
  }
}

/** Whether records of a collection are stored here. Names of collections are kept forever, so arbitrary ones are refused. */
function isNamed(collection: string, db: Reader, names: Names): boolean {
  return storedCollections.has(names.own(collection)) || idOf(db, collection) !== undefined
}

function blobsIn(record: LexMap): Set<string> {
  const cids = new Set<string>()
  for (const { cid } of blobRefsIn(record)) if (isStorable(cid)) cids.add(cid)
  return cids
}

function isStorable(cid: string): boolean {
  try {
    return cidBytes(cid).length > 0
  } catch {
    return false
  }
}

/** When a record says that it was created; undefined without a valid time. */
export function createdAtOf(bytes: Uint8Array): Date | undefined {
  const createdAt = decodeMap(bytes)?.createdAt
  return typeof createdAt === 'string' ? instant(createdAt) : undefined
}
