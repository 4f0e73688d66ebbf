/**
 * The changes of a write, before they are committed. A collection and its aliases are one collection: a record is found under
 * any name of it, the requested name first, and a record key exists once. Only data of older versions have a record key under
 * several names.
 */
import type { NsidString, RecordKeyString } from '@atproto/syntax'
import { type Aliases, allNamesOf, canonicalNsid } from '../config/aliases.ts'
import type { OmittedRecord } from '../store/tables/omitted-records.ts'
import type { StoredRecord } from '../store/tables/records.ts'
import type { PreparedRecord } from './prepare.ts'

/** A record before a write, which the index may omit. */
export type RecordBefore = StoredRecord | OmittedRecord

/** What a commit does to one record: creates, replaces or deletes it. A replaced record may move to another name of its collection. */
export type RecordChange =
  | { readonly before: RecordBefore | undefined; readonly after: PreparedRecord }
  | { readonly before: RecordBefore; readonly after: undefined }

export interface Draft {
  /** CID of the latest commit. */
  readonly commit: string
  /** Returns the record as the draft leaves it. */
  find(collection: NsidString, rkey: RecordKeyString): RecordBefore | PreparedRecord | undefined
  /** Replaces the record that `find` returns, or creates one. */
  put(record: PreparedRecord): void
  /** Deletes the record that `find` returns, if any. */
  remove(collection: NsidString, rkey: RecordKeyString): void
  /** Returns one change for each record that differs from before the draft, deletions first. */
  changes(): RecordChange[]
}

interface Slot {
  readonly before: RecordBefore | undefined
  /** Undefined keeps the record, null deletes it. */
  write: PreparedRecord | null | undefined
}

/** @param read returns the stored record with exactly this name */
export function createDraft(
  commit: string,
  aliases: Aliases,
  read: (collection: NsidString, rkey: RecordKeyString) => RecordBefore | undefined,
): Draft {
  const all = new Map<string, Slot[]>()

  const slotsOf = (collection: NsidString, rkey: RecordKeyString): Slot[] => {
    const key = `${canonicalNsid(collection, aliases)}/${rkey}`
    const known = all.get(key)
    if (known) return known
    const stored = allNamesOf(collection, aliases).flatMap((name) => read(name, rkey) ?? [])
    const slots = stored.map((before) => ({ before, write: undefined }))
    all.set(key, slots)
    return slots
  }

  const slotOf = (collection: NsidString, rkey: RecordKeyString): Slot | undefined => {
    const slots = slotsOf(collection, rkey).filter((slot) => current(slot) !== undefined)
    return slots.find((slot) => current(slot)?.collection === collection) ?? slots[0]
  }

  return {
    commit,
    find: (collection, rkey) => current(slotOf(collection, rkey)),
    put(record) {
      const { collection, rkey } = record
      const slots = slotsOf(collection, rkey)
      const slot =
        slotOf(collection, rkey) ?? slots.find(({ before }) => before?.collection === collection) ?? slots[0]
      if (slot) slot.write = record
      else slots.push({ before: undefined, write: record })
    },
    remove(collection, rkey) {
      const slot = slotOf(collection, rkey)
      if (slot) slot.write = null
    },
    changes: () =>
      [...all.values()]
        .flat()
        .flatMap((slot) => changeOf(slot) ?? [])
        .toSorted((a, b) => Number(a.after !== undefined) - Number(b.after !== undefined)),
  }
}

function current(slot: Slot | undefined): RecordBefore | PreparedRecord | undefined {
  return slot?.write === undefined ? slot?.before : (slot.write ?? undefined)
}

function changeOf({ before, write }: Slot): RecordChange | undefined {
  if (write) {
    const isEqual = before?.cid === write.cid && before.collection === write.collection
    return isEqual ? undefined : { before, after: write }
  }
  return before && write === null ? { before, after: undefined } : undefined
}
