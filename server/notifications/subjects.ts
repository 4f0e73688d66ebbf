/** What records refer to. They may have been stored without validation: what does not fit refers to nothing. */
import { isPlainObject } from '@atproto/lex-data'
import { isAtUriString } from '@atproto/syntax'
import { type Aliases, canonicalNsid } from '../config/aliases.ts'
import type { Reader } from '../store/database.ts'
import { findByHandle } from '../store/tables/accounts.ts'

export interface Subject {
  /** DID of the account whose record it is. */
  readonly did: string
  /** AT URI of the whole record with the DID in it, also where the reference had a handle or a fragment. */
  readonly uri: string
}

/** @returns the record that a strong reference (com.core.repo.strongRef) means */
export type ReadSubject = (
  reference: unknown,
  /** When given, by our own name: the record must be of this collection. */
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
