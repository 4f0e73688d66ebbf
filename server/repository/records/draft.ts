/** The changes of a write, before they are committed. */
import type { NsidString, RecordKeyString } from '@atproto/syntax'
import type { OmittedRecord } from '../tables/omitted-records.ts'
import type { StoredRecord } from '../tables/records.ts'
import type { StoredForm } from './prepare.ts'

/** A record before a write, which the index may omit. */
export type RecordBefore = StoredRecord | OmittedRecord

/** The change of one record by a commit: it is created, replaced, renamed or deleted. */
export type RecordChange =
  | { readonly before: RecordBefore | undefined; readonly after: StoredForm }
  | { readonly before: RecordBefore; readonly after: undefined }

/** Collections have the names under which they are stored. */
export interface Draft {
  /** CID of the latest commit. */
  readonly commit: string
  /** Returns the record as the draft leaves it. */
  find(collection: NsidString, rkey: RecordKeyString): RecordBefore | StoredForm | undefined
  /** Creates or replaces a record. */
  put(record: StoredForm): void
  /** Deletes a record, if it exists. */
  remove(collection: NsidString, rkey: RecordKeyString): void
  /** Returns one change for each record that differs from before the draft, deletions first. */
  changes(): RecordChange[]
}

interface Entry {
  readonly before: RecordBefore | undefined
  after: RecordBefore | StoredForm | undefined
}

/** @param read returns a stored record */
export function createDraft(
  commit: string,
  read: (collection: NsidString, rkey: RecordKeyString) => RecordBefore | undefined,
): Draft {
  const entries = new Map<string, Entry>()

  const entryOf = (collection: NsidString, rkey: RecordKeyString): Entry => {
    const key = `${collection}/${rkey}`
    const known = entries.get(key)
    if (known) return known
    const before = read(collection, rkey)
    const entry = { before, after: before }
    entries.set(key, entry)
    return entry
  }

  return {
    commit,
    find: (collection, rkey) => entryOf(collection, rkey).after,
    put(record) {
      entryOf(record.collection, record.rkey).after = record
    },
    remove(collection, rkey) {
      entryOf(collection, rkey).after = undefined
    },
    changes: () =>
      [...entries.values()]
        .flatMap((entry) => changeOf(entry) ?? [])
        .toSorted((a, b) => Number(a.after !== undefined) - Number(b.after !== undefined)),
  }
}

function changeOf({ before, after }: Entry): RecordChange | undefined {
  if (before?.cid === after?.cid) return undefined
  if (after) return { before, after: after as StoredForm }
  return before && { before, after: undefined }
}
