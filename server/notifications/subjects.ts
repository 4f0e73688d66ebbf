/** Resolves references between records. Records may be stored unvalidated: a malformed reference resolves to undefined. */
import { isPlainObject } from '@atproto/lex-data'
import { isAtUriString } from '@atproto/syntax'
import { type Aliases, canonicalNsid } from '../config/aliases.ts'
import type { Reader } from '../store/database.ts'
import { findByHandle } from '../store/tables/accounts.ts'

export interface Subject {
  /** DID of the record's author. */
  readonly did: string
  /** AT URI with the author's DID, without fragment, also if the reference has a handle or a fragment. */
  readonly uri: string
}

/** Resolves a strong reference (com.core.repo.strongRef). */
export type ReadSubject = (
  reference: unknown,
  /** Canonical NSID that the record's collection must have, if given. */
  collection?: string,
) => Subject | undefined

export function subjectReader(db: Reader, aliases: Aliases): ReadSubject {
  return (reference, collection) => {
    const uri = isPlainObject(reference) ? reference.uri : undefined
    if (typeof uri !== 'string' || !isAtUriString(uri)) return undefined
    const [authority = '', nsid, rkey] = uri.slice('at://'.length).split(/[/#]/)
    if (!nsid || !rkey) return undefined
    if (collection !== undefined && canonicalNsid(nsid, aliases) !== collection) return undefined
    const did = authority.startsWith('did:') ? authority : findByHandle(db, authority.toLowerCase())?.did
    return did === undefined ? undefined : { did, uri: `at://${did}/${nsid}/${rkey}` }
  }
}
