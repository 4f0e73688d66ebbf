/** Prepares a client's record for storage: data model, `$type`, record key, lexicon validation. */
import { encode } from '@atproto/lex-cbor'
import type { LexMap } from '@atproto/lex-data'
import { type JsonValue, jsonToLex } from '@atproto/lex-json'
import type { l } from '@atproto/lex-schema'
import type { DidString, NsidString, RecordKeyString } from '@atproto/syntax'
import { app } from '../../../lexicons/generated/index.ts'
import type { Names } from '../../platform/config/aliases.ts'
import { withoutStackTraces } from '../../platform/xrpc/validate.ts'
import { protocolError, type XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import { cborCid } from '../../util/cid.ts'
import type { Requester } from '../../util/requester.ts'
import { blobRefsIn, refusalOfBlob } from '../blobs/references.ts'
import { recordLexicons } from './lexicons.ts'
import { renameRecord, withOwnTypes } from './rename.ts'

const { feed } = app.example

/** Collections of gates: each gate belongs to the post that its `post` refers to. */
const gates: ReadonlySet<string> = new Set([feed.postgate.$type, feed.threadgate.$type])

export interface RecordInput {
  readonly collection: NsidString
  readonly rkey?: RecordKeyString | undefined
  /** JSON form, with `$link` and `$bytes`. */
  readonly record: LexMap
  /** True requires a lexicon, which may be a published one; false skips validation; undefined validates if this server has a lexicon. */
  readonly validate?: boolean | undefined
}

/** A record as it is written. */
export interface StoredForm {
  /** The collection under its stored name. */
  readonly collection: NsidString
  readonly rkey: RecordKeyString
  readonly cid: string
  readonly bytes: Uint8Array
  /** CIDs of referenced blobs. */
  readonly blobs: readonly string[]
  /** The record with our `$type`s; `bytes` has those under which it is stored. */
  readonly own: LexMap
}

export interface PreparedRecord extends StoredForm {
  readonly validationStatus: 'valid' | 'unknown'
}

export interface PrepareOptions {
  /** Account of the repository. */
  readonly did: DidString
  readonly names: Names
  /** Creates the record key, unless the caller or the lexicon sets one. */
  readonly newKey: () => string
  /** Finds the published schema of a collection under its stored name. @throws XrpcError `InvalidRequest`, `NotEnoughResources` */
  readonly findSchema?: ((collection: string, requester: Requester) => Promise<l.RecordSchema>) | undefined
}

/**
 * Checks a record and computes its bytes and CID.
 * @throws InvalidRequest
 */
export async function prepareRecord(
  input: RecordInput,
  { did, names, newKey, findSchema }: PrepareOptions,
): Promise<PreparedRecord> {
  checkAuthority(input.collection)
  const sent = withType(toLex(input.record), input.collection)
  const known = input.validate === false ? undefined : recordLexicons.get(names.own(input.collection))
  const needsLexicon = !known && input.validate === true
  if (needsLexicon && !findSchema) throw refusal(`This server has no lexicon for ${input.collection}`)
  const published = needsLexicon
    ? await findSchema?.(names.stored(input.collection), { kind: 'account', key: did })
    : undefined
  const schema = known ?? published
  const rkey = schema ? keyFor(schema, input.rkey, newKey) : (input.rkey ?? newKey())
  const form = storedForm(sent, { collection: input.collection, rkey }, names)
  if (known) check(known, form.own)
  if (published) check(published, renameRecord(sent, names, names.stored))
  if (known && gates.has(known.$type))
    checkGate(form.own, `at://${did}/${names.stored(feed.post.$type)}/${rkey}`)
  return { ...form, validationStatus: schema ? 'valid' : 'unknown' }
}

/** Returns a record under the names of the store. */
export function storedForm(
  sent: LexMap,
  { collection, rkey }: Pick<StoredForm, 'collection' | 'rkey'>,
  names: Names,
): StoredForm {
  const record = renameRecord(sent, names, names.stored)
  const bytes = encode(record)
  return {
    collection: names.stored(collection),
    rkey,
    cid: cborCid(bytes),
    bytes,
    blobs: Array.from(blobRefsIn(record), ({ cid }) => cid),
    own: withOwnTypes(record, names),
  }
}

function toLex(record: LexMap): LexMap {
  try {
    return jsonToLex(record as JsonValue, { strict: true }) as LexMap
  } catch (error) {
    if (error instanceof TypeError) throw refusal(error.message)
    throw error
  }
}

/** Collections are compared as they are written, but their authority is a domain name, which is case-insensitive. */
function checkAuthority(collection: string): void {
  const authority = collection.split('.', 2).join('.')
  if (authority !== authority.toLowerCase()) throw refusal(`Write ${authority} in lower case`)
}

/** Adds a missing `$type`; refuses one that is not the collection. */
function withType(record: LexMap, collection: string): LexMap {
  if (record.$type === undefined) return { $type: collection, ...record }
  if (record.$type === collection) return record
  throw refusal(`The $type of the record must be its collection, ${collection}`)
}

function keyFor(schema: l.RecordSchema, rkey: string | undefined, newKey: () => string): string {
  // The schema of a literal key supplies it.
  const wanted = rkey ?? (schema.key.startsWith('literal:') ? undefined : newKey())
  const result = schema.keySchema.safeParse(wanted)
  if (result.success) return result.value
  throw refusal(`The record key of ${schema.$type} must be ${schema.key}: ${result.reason.message}`)
}

function check(schema: l.RecordSchema, record: LexMap): void {
  const result = withoutStackTraces(() => schema.safeValidate(record))
  if (result.success) return
  throw (
    refusalOfBlob(record, result.reason) ??
    refusal(`Invalid record of ${schema.$type}: ${result.reason.message}`)
  )
}

/** A gate has the record key of its post, which must be in the same repository: readers ignore others. */
function checkGate({ post }: LexMap, expected: string): void {
  if (post === expected) return
  throw refusal(
    'A gate must have the record key of its post, and `post` must be the AT URI of a post of this account',
  )
}

function refusal(message: string): XrpcError {
  return protocolError('InvalidRequest', message)
}
