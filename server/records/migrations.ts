/** The migrations of the store, with what they derive from records of earlier versions. */
import { decode } from '@atproto/lex-cbor'
import type { LexMap } from '@atproto/lex-data'
import { type Aliases, canonicalNsid } from '../config/aliases.ts'
import { createMigrations } from '../store/migrations.ts'
import { feedItemOf } from './feed-item.ts'
import { linksOf } from './links.ts'
import { profileCollection, wordsOf } from './name-words.ts'
import { withCanonicalTypes } from './prepare.ts'
import { subjectReader } from './subjects.ts'

/** Names under which earlier versions stored records, unless a setting changed them. */
const aliases: Aliases = new Map([
  ['app.bsky', 'app.example'],
  ['chat.bsky', 'chat.example'],
  ['com.atproto', 'com.core'],
])

export const migrations = createMigrations(
  (stored, didOf) => {
    const { collection, record } = canonical(stored)
    return {
      links: linksOf(collection, record, subjectReader(didOf, aliases)),
      feedItem: feedItemOf(collection, record),
    }
  },
  (stored) => {
    const { collection, record } = canonical(stored)
    return collection === profileCollection ? wordsOf(record.displayName) : []
  },
)

function canonical({ collection, bytes }: { readonly collection: string; readonly bytes: Uint8Array }) {
  const record = withCanonicalTypes(decode(bytes), aliases) as LexMap
  return { collection: canonicalNsid(collection, aliases), record }
}
