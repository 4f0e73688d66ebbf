/** References to blobs in records. */
import {
  isCid,
  isLegacyBlobRef,
  isPlainObject,
  isTypedBlobRef,
  type LexMap,
  type LexValue,
} from '@atproto/lex-data'
import type { l } from '@atproto/lex-schema'
import { XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import type { Reader } from '../../store/database.ts'
import * as blobs from '../tables/blobs.ts'

/** A record's statement about a blob. */
export interface BlobRef {
  readonly cid: string
  readonly mimeType: string
  /** In bytes; undefined in references of old clients. */
  readonly size: number | undefined
}

/**
 * Yields the blobs that a value names, also in the form `{ cid, mimeType }` that clients wrote until 2023. The library's
 * `enumBlobRefs` overflows the stack at arrays of about 100,000 items.
 */
export function* blobRefsIn(value: LexValue | undefined): Iterable<BlobRef> {
  if (Array.isArray(value)) for (const item of value) yield* blobRefsIn(item)
  else if (isLegacyBlobRef(value)) yield { cid: value.cid, mimeType: value.mimeType, size: undefined }
  else if (isTypedBlobRef(value, { strict: false }) && isCid(value.ref, { flavor: 'raw' }))
    yield typedRef(value)
  else if (isPlainObject(value)) for (const item of Object.values(value as LexMap)) yield* blobRefsIn(item)
}

/** Clients that rewrote an old reference put the size -1. */
function typedRef({ ref, mimeType, size }: { ref: unknown; mimeType: string; size: number }): BlobRef {
  return { cid: String(ref), mimeType, size: size < 0 ? undefined : size }
}

/**
 * Checks that an account has uploaded the blob that its record names, and that the reference states its type and size.
 * An imported repository may name missing blobs: further records may do so too.
 * @param record row of the record, which is stored already
 * @throws BlobNotFound, InvalidMimeType, InvalidSize: a method that writes records declares them
 */
export function checkReference(db: Reader, did: string, record: number, ref: BlobRef): void {
  const blob = blobs.find(db, did, ref.cid)
  if (!blob && blobs.isNamed(db, did, ref.cid, record)) return
  if (!blob) {
    throw new XrpcError(
      'BlobNotFound',
      `This account has no blob ${ref.cid}. Upload it, then write the record.`,
    )
  }
  if (blob.mimeType !== ref.mimeType) {
    throw new XrpcError(
      'InvalidMimeType',
      `Blob ${ref.cid} has the type ${blob.mimeType}, not ${ref.mimeType}`,
    )
  }
  if (ref.size !== undefined && blob.size !== ref.size) {
    throw new XrpcError('InvalidSize', `Blob ${ref.cid} has ${blob.size} bytes, not ${ref.size}`)
  }
}

/** Returns the error for a blob that the lexicon of its record does not accept; undefined for other faults of a record. */
export function refusalOfBlob(record: LexMap, { issues }: l.LexValidationError): XrpcError | undefined {
  for (const issue of issues) {
    if (issue.code === 'too_big' && 'type' in issue && issue.type === 'blob') {
      return new XrpcError('InvalidSize', issue.message)
    }
    const owner = issue.path.slice(0, -1).reduce<unknown>((value, key) => memberOf(value, key), record)
    if (issue.path.at(-1) === 'mimeType' && isTypedBlobRef(owner)) {
      return new XrpcError('InvalidMimeType', issue.message)
    }
  }
  return undefined
}

function memberOf(value: unknown, key: PropertyKey): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Record<PropertyKey, unknown>)[key]
    : undefined
}
