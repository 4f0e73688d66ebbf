/** How accounts are shown beside what they did. */
import { decode } from '@atproto/lex-cbor'
import { isPlainObject } from '@atproto/lex-data'
import { type DidString, type HandleString, INVALID_HANDLE } from '@atproto/syntax'
import { app } from '../../lexicons/generated/index.ts'
import { type Aliases, namesOf } from '../aliases.ts'
import type { Reader } from '../store/database.ts'
import * as records from '../store/records.ts'

const { profile } = app.example.actor

/**
 * `app.example.actor.defs#profileViewBasic` of an account, by one look-up. Of a DID that is not hosted here only the DID is
 * known. Images are not stored here, so there is no avatar to show.
 */
export function profileOf(
  db: Reader,
  aliases: Aliases,
  did: DidString,
): app.example.actor.defs.ProfileViewBasic {
  const found = records.findProfile(db, did, namesOf(profile.$type, aliases))
  return {
    did,
    handle: found?.handle ?? (INVALID_HANDLE as HandleString),
    displayName: found?.bytes ? displayNameIn(found.bytes) : undefined,
  }
}

/** Records may be stored without validation: what is no name is none. */
function displayNameIn(bytes: Uint8Array): string | undefined {
  const record = decode(bytes)
  const name = isPlainObject(record) ? record.displayName : undefined
  return typeof name === 'string' ? name : undefined
}
