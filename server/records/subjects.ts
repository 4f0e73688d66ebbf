/** Resolves AT URIs in records. Records may be stored unvalidated: a malformed one resolves to undefined. */
import { isAtUriString } from '@atproto/syntax'
import { type Aliases, canonicalNsid } from '../config/aliases.ts'

export interface Subject {
  /** DID of the record's author, also if the URI has a handle. */
  readonly did: string
  /** As it is written in the URI, possibly an alias. */
  readonly collection: string
  readonly rkey: string
}

export type ReadSubject = (
  uri: unknown,
  /** Canonical NSID that the collection must have, if given. */
  collection?: string,
) => Subject | undefined

/** @param didOf returns the DID of an account by its handle in lower case */
export function subjectReader(didOf: (handle: string) => string | undefined, aliases: Aliases): ReadSubject {
  return (uri, expected) => {
    if (typeof uri !== 'string' || !isAtUriString(uri)) return undefined
    const [authority = '', collection, rkey] = uri.slice('at://'.length).split(/[/#]/)
    if (!collection || !rkey) return undefined
    if (expected !== undefined && canonicalNsid(collection, aliases) !== expected) return undefined
    const did = authority.startsWith('did:') ? authority : didOf(authority.toLowerCase())
    return did === undefined ? undefined : { did, collection, rkey }
  }
}
