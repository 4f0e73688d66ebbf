/** Reads stored records under all names of their collection: a collection and its aliases are one collection. */
import type { DidString, NsidString, RecordKeyString } from '@atproto/syntax'
import { type Aliases, allNamesOf, canonicalNsid } from '../config/aliases.ts'
import type { Reader } from '../store/database.ts'
import * as records from '../store/tables/records.ts'

interface Deps {
  readonly store: Reader
  readonly config: { readonly aliases: Aliases }
}

/** Returns the record under the given name of its collection, else under another name. */
export function findRecord(
  { store, config }: Deps,
  did: DidString,
  collection: NsidString,
  rkey: RecordKeyString,
): records.StoredRecord | undefined {
  for (const name of allNamesOf(collection, config.aliases)) {
    const record = records.find(store, did, name, rkey)
    if (record) return record
  }
  return undefined
}

/** Returns records of a collection in the order of their keys. Of a key that several names have, the given name counts. */
export function pageOfCollection(
  { store, config }: Deps,
  {
    reverse,
    ...page
  }: records.PageOf & { readonly collection: NsidString; readonly reverse?: boolean | undefined },
): records.StoredRecord[] {
  const read = reverse ? records.page : records.pageBackwards
  const byKey = new Map<string, records.StoredRecord>()
  for (const collection of allNamesOf(page.collection, config.aliases)) {
    for (const record of read(store, { ...page, collection })) {
      if (!byKey.has(record.rkey)) byKey.set(record.rkey, record)
    }
  }
  const forwards = reverse ? 1 : -1
  return [...byKey.values()].sort((a, b) => (a.rkey < b.rkey ? -forwards : forwards)).slice(0, page.limit)
}

/** Returns each collection of a repository once: under our own name if its records have several names. */
export function collectionsOf({ store, config }: Deps, did: DidString): NsidString[] {
  const names = new Map<string, NsidString>()
  for (const name of records.collections(store, did)) {
    const canonical = canonicalNsid(name, config.aliases) as NsidString
    names.set(canonical, names.has(canonical) ? canonical : name)
  }
  return [...names.values()].sort()
}
