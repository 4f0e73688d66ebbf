/** Prepares a client's record for storage: data model, `$type`, record key, lexicon validation. */
import { encode } from '@atproto/lex-cbor'
import { isPlainObject, type LexMap, type LexValue } from '@atproto/lex-data'
import { type JsonValue, jsonToLex } from '@atproto/lex-json'
import type { l } from '@atproto/lex-schema'
import type { DidString, NsidString, RecordKeyString } from '@atproto/syntax'
import { app, chat } from '../../lexicons/generated/index.ts'
import { blobRefsIn, refusalOfBlob } from '../blobs/references.ts'
import { type Aliases, canonicalNsid } from '../config/aliases.ts'
import { cborCid } from '../store/cid.ts'
import { protocolError, type XrpcError } from '../xrpc/errors.ts'
import { withoutStackTraces } from '../xrpc/validate.ts'

const { actor, feed, graph, labeler, notification } = app.example

/** Schemas of the collections whose records are validated, by canonical NSID. */
const lexicons: ReadonlyMap<string, l.RecordSchema> = new Map(
  [
    actor.profile.main,
    actor.status.main,
    feed.generator.main,
    feed.like.main,
    feed.post.main,
    feed.postgate.main,
    feed.repost.main,
    feed.threadgate.main,
    graph.block.main,
    graph.follow.main,
    graph.list.main,
    graph.listblock.main,
    graph.listitem.main,
    graph.starterpack.main,
    graph.verification.main,
    labeler.service.main,
    notification.declaration.main,
    chat.example.actor.declaration.main,
  ].map((schema) => [schema.$type, schema]),
)

/** Collections of gates: each gate belongs to the post that its `post` refers to. */
const gates: ReadonlySet<string> = new Set([feed.postgate.$type, feed.threadgate.$type])

export interface RecordInput {
  readonly collection: NsidString
  readonly rkey?: RecordKeyString | undefined
  /** JSON form, with `$link` and `$bytes`. */
  readonly record: LexMap
  /** True requires a lexicon; false skips validation; undefined validates if there is a lexicon. */
  readonly validate?: boolean | undefined
}

export interface PreparedRecord {
  readonly collection: NsidString
  readonly rkey: RecordKeyString
  readonly cid: string
  readonly bytes: Uint8Array
  /** CIDs of referenced blobs. */
  readonly blobs: readonly string[]
  /** The record with canonical `$type` values; `bytes` has the values as sent. */
  readonly canonical: LexMap
  readonly validationStatus: 'valid' | 'unknown'
}

export interface PrepareOptions {
  /** Account of the repository. */
  readonly did: DidString
  readonly aliases: Aliases
  /** Creates the record key if neither the caller nor the lexicon sets one. */
  readonly newKey: () => string
}

/**
 * Checks a record and computes its bytes and CID.
 * @throws InvalidRequest
 */
export async function prepareRecord(
  input: RecordInput,
  { did, aliases, newKey }: PrepareOptions,
): Promise<PreparedRecord> {
  const { collection } = input
  checkAuthority(collection)
  const record = withType(toLex(input.record), collection)
  const canonical = withCanonicalTypes(record, aliases) as LexMap
  const schema = input.validate === false ? undefined : lexicons.get(canonicalNsid(collection, aliases))
  if (input.validate === true && !schema) throw refusal(`This server has no lexicon for ${collection}`)
  const rkey = schema ? keyFor(schema, input.rkey, newKey) : (input.rkey ?? newKey())
  if (schema) check(schema, canonical)
  if (schema && gates.has(schema.$type))
    checkGate(canonical, `at://${did}/${feed.post.$type}/${rkey}`, aliases)
  const bytes = encode(record)
  return {
    collection,
    rkey,
    cid: cborCid(bytes),
    bytes,
    blobs: Array.from(blobRefsIn(record), ({ cid }) => cid),
    canonical,
    validationStatus: schema ? 'valid' : 'unknown',
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

/** Replaces aliases in `$type` by canonical NSIDs. Returns the value itself if it has none. */
export function withCanonicalTypes(value: LexValue, aliases: Aliases): LexValue {
  if (Array.isArray(value)) {
    const items = value.map((item) => withCanonicalTypes(item, aliases))
    return items.some((item, at) => item !== value[at]) ? items : value
  }
  if (!isPlainObject(value)) return value
  let changed: LexMap | undefined
  for (const [key, member] of Object.entries(value as LexMap)) {
    if (member === undefined) continue
    const canonical =
      key === '$type' && typeof member === 'string'
        ? canonicalNsid(member, aliases)
        : withCanonicalTypes(member, aliases)
    if (canonical === member) continue
    changed ??= { ...(value as LexMap) }
    changed[key] = canonical
  }
  return changed ?? value
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
function checkGate({ post }: LexMap, expected: string, aliases: Aliases): void {
  const [, , authority, collection = '', rkey] = String(post).split('/')
  if (`at://${authority}/${canonicalNsid(collection, aliases)}/${rkey}` === expected) return
  throw refusal(
    'A gate must have the record key of its post, and `post` must be the AT URI of a post of this account',
  )
}

function refusal(message: string): XrpcError {
  return protocolError('InvalidRequest', message)
}
