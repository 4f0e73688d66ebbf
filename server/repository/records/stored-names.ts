/**
 * Gives records the names of the network if archives or a server without aliases stored them under ours. Each
 * repository gets commits for this; rows of records keep their ids and times, and no account is notified.
 */
import { decode } from '@atproto/lex-cbor'
import type { LexMap } from '@atproto/lex-data'
import type { DidString } from '@atproto/syntax'
import type { Platform } from '../../platform/platform.ts'
import { yieldToEventLoop } from '../../util/timers.ts'
import { stoppedFor } from '../tables/moves.ts'
import * as records from '../tables/records.ts'
import * as table from '../tables/renamed-collections.ts'
import type { RecordChange } from './draft.ts'
import { storedForm } from './prepare.ts'
import type { Repositories } from './repositories.ts'

export interface StoredNames {
  /** Renames all records whose names differ from the stored ones. After a crash, the next call continues. */
  renameAll(): Promise<void>
  /** Renames the records of one repository. */
  rename(did: DidString): Promise<void>
}

interface Deps extends Pick<Platform, 'store' | 'names' | 'log'> {
  readonly repositories: Pick<Repositories, 'rename'>
}

/** A renamed record is two changes of a commit, which can have 200. */
const maxRecords = 100
/** Bytes of the records of one commit. */
const maxBytes = 500_000

export function createStoredNames({ store, names, repositories, log }: Deps): StoredNames {
  const outdated = (): table.Renaming[] =>
    table
      .all(store)
      .map((from) => ({ from, to: names.stored(from) }))
      .filter(({ from, to }) => from !== to)

  async function rename(did: DidString): Promise<void> {
    // Its records belong to another server soon.
    if (stoppedFor(store, did) !== undefined) return
    const renamings = outdated()
    while (await repositories.rename(did, () => changesOf(did, renamings))) await yieldToEventLoop()
  }

  function changesOf(did: DidString, renamings: readonly table.Renaming[]): RecordChange[] {
    const changes: RecordChange[] = []
    let bytes = 0
    for (const { from, to } of renamings) {
      for (const before of records.page(store, { did, collection: from, limit: maxRecords })) {
        if (changes.length === maxRecords || bytes > maxBytes) return changes
        const after = records.find(store, did, to, before.rkey)
          ? undefined
          : storedForm(decode(before.bytes) as LexMap, before, names)
        changes.push({ before, after })
        bytes += before.bytes.length
      }
    }
    return changes
  }

  return {
    rename,
    async renameAll() {
      const renamings = outdated()
      for (const renaming of renamings) {
        await store.transact((tx) => table.renameReferences(tx, renaming))
      }
      const dids = new Set(renamings.flatMap(({ from }) => table.accountsWith(store, from)))
      for (const did of dids) {
        // A damaged repository must not stop the start.
        await rename(did).catch((error: unknown) =>
          log.error({ err: error, did }, 'renaming of records failed'),
        )
      }
      if (dids.size > 0) log.info({ accounts: dids.size }, 'records renamed')
      for (const renaming of renamings) {
        await store.transact((tx) => {
          table.renameRemoteRecords(tx, renaming)
          table.removeUnused(tx, renaming.from)
        })
      }
    },
  }
}
