/** Public profile views of accounts. */
import { decode } from '@atproto/lex-cbor'
import { type DidString, type HandleString, INVALID_HANDLE } from '@atproto/syntax'
import { app } from '../../lexicons/generated/index.ts'
import { statusOf } from '../accounts/status.ts'
import { type Aliases, namesOf } from '../config/aliases.ts'
import type { Reader } from '../store/database.ts'
import * as records from '../store/tables/records.ts'
import type { DatetimeString } from '../util/time.ts'
import { withCanonicalTypes } from './prepare.ts'

const { profile } = app.example.actor

/**
 * Returns the `app.example.actor.defs#profileView` of an account, with one query. A DID without an account here gets an
 * invalid handle, an inactive account no display name. There is no avatar, because images are not stored.
 */
export function profileOf(db: Reader, aliases: Aliases, did: DidString): app.example.actor.defs.ProfileView {
  const found = records.findProfile(db, did, namesOf(profile.$type, aliases))
  const shown = found && statusOf(found) === undefined ? found.bytes : null
  return {
    did,
    handle: found?.handle ?? (INVALID_HANDLE as HandleString),
    displayName: shown ? readProfile(shown, aliases)?.displayName : undefined,
  }
}

/** Returns the text fields of an account's profile record; empty without a profile. */
export function profileDetailOf(
  db: Reader,
  aliases: Aliases,
  did: DidString,
): Pick<app.example.actor.profile.Main, 'displayName' | 'description' | 'pronouns' | 'website'> & {
  readonly indexedAt?: DatetimeString
} {
  const found = records.findProfile(db, did, namesOf(profile.$type, aliases))
  const record = found?.bytes ? readProfile(found.bytes, aliases) : undefined
  if (!found?.indexedAt || !record) return {}
  const { displayName, description, pronouns, website } = record
  return { displayName, description, pronouns, website, indexedAt: found.indexedAt }
}

/** Records may be stored without validation, and clients reject invalid responses: an invalid profile counts as none. */
function readProfile(bytes: Uint8Array, aliases: Aliases): app.example.actor.profile.Main | undefined {
  const result = profile.main.safeValidate(withCanonicalTypes(decode(bytes), aliases))
  return result.success ? result.value : undefined
}
