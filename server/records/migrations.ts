/** The migrations of the store, with the derivation of links for records of earlier versions. */
import { decode } from '@atproto/lex-cbor'
import type { LexMap } from '@atproto/lex-data'
import { type Aliases, canonicalNsid } from '../config/aliases.ts'
import { createMigrations } from '../store/migrations.ts'
import { feedItemOf } from './feed-item.ts'
import { linksOf } from './links.ts'
import { withCanonicalTypes } from './prepare.ts'
import { subjectReader } from './subjects.ts'

/** Names under which earlier versions stored records, unless a setting changed them. */
const aliases: Aliases = new Map([
  ['app.bsky', 'app.example'],
  ['chat.bsky', 'chat.example'],
  ['com.atproto', 'com.core'],
])

export const migrations = createMigrations((stored, didOf) => {
  const collection = canonicalNsid(stored.collection, aliases)
  const record = withCanonicalTypes(decode(stored.bytes), aliases) as LexMap
  return {
    links: linksOf(collection, record, subjectReader(didOf, aliases)),
    feedItem: feedItemOf(collection, record),
  }
})
