/** Resolves AT URIs in records. Records may be stored unvalidated: a malformed one resolves to undefined. */
import { isAtUriString } from '@atproto/syntax'
import type { Names } from '../../platform/config/aliases.ts'

export interface Subject {
  /** DID of the record's author, also if the URI has a handle. */
  readonly did: string
  /** The collection under its stored name. */
  readonly collection: string
  readonly rkey: string
}

export type ReadSubject = (
  uri: unknown,
  /** Our name of the collection that it must be in, if given. */
  collection?: string,
) => Subject | undefined

/** @param didOf returns the DID of an account by its handle in lower case */
export function subjectReader(didOf: (handle: string) => string | undefined, names: Names): ReadSubject {
  return (uri, expected) => {
    if (typeof uri !== 'string' || !isAtUriString(uri)) return undefined
    const [authority = '', collection, rkey] = uri.slice('at://'.length).split(/[/#]/)
    if (!collection || !rkey) return undefined
    if (expected !== undefined && names.own(collection) !== expected) return undefined
    const did = authority.startsWith('did:') ? authority : didOf(authority.toLowerCase())
    return did === undefined ? undefined : { did, collection: names.stored(collection), rkey }
  }
}
