/** Keeps the links and feed items of records, and the words of display names, in the transaction that writes the records. */
import { collections } from '../../platform/config/nsids.ts'
import type { Writer } from '../../store/database.ts'
import * as actors from '../../store/tables/actors.ts'
import * as links from '../tables/links.ts'
import * as nameWords from '../tables/name-words.ts'
import * as posts from '../tables/posts.ts'
import { feedItemOf } from './feed-item.ts'
import { wordsOf } from './name-words.ts'
import type { RecordEvent, RecordListener } from './record-events.ts'

/** Rows of a deleted record are deleted by foreign keys. */
export const linkListener: RecordListener = {
  recordCreated(tx, event) {
    const from = { record: event.id, actor: actors.ensure(tx, event.did) }
    links.insert(tx, from, event.links)
    putFeedItem(tx, from, event)
    putNameWords(tx, event)
    return undefined
  },

  recordUpdated(tx, event) {
    const from = { record: event.id, actor: actors.ensure(tx, event.did) }
    links.replace(tx, from, event.links)
    putFeedItem(tx, from, event)
    putNameWords(tx, event)
    return undefined
  },

  recordDeleted: () => undefined,
}

function putFeedItem(tx: Writer, from: { record: number; actor: number }, event: RecordEvent): void {
  const item = feedItemOf(event.collection, event.record)
  if (item) posts.put(tx, { ...from, indexedAt: Date.parse(event.at) }, item)
}

function putNameWords(tx: Writer, { id, collection, record }: RecordEvent): void {
  if (collection === collections.profile) nameWords.replace(tx, id, wordsOf(record.displayName))
}
