/** Applies a verified repository of a remote actor: stores records that concern accounts here, deletes records that it no longer has. */
import type { DidString, NsidString, RecordKeyString } from '@atproto/syntax'
import { timeOf } from '../../repository/format/tid.ts'
import { splitKey } from '../../repository/format/tree-node.ts'
import { readStagedFile, type StagedEntry } from '../../repository/records/import/staged-file.ts'
import type { Reader } from '../../store/database.ts'
import type { Files } from '../../store/files/files.ts'
import { cidText } from '../../util/cid.ts'
import { yieldToEventLoop } from '../../util/timers.ts'
import { type KeptRecord, keptPage } from '../tables/remote-repositories.ts'
import type { RemoteChange } from './change.ts'
import type { Filter } from './filter/filter.ts'
import type { Intake } from './intake.ts'
import { createdAtOf } from './read-change.ts'

export interface ApplyDeps {
  readonly store: Reader
  readonly files: Files
  readonly filter: Pick<Filter, 'inRepository'>
  readonly intake: Pick<Intake, 'apply'>
  /** Ends the work. */
  readonly signal: AbortSignal
}

export interface VerifiedRepository {
  /** Origin of the host. */
  readonly source: string
  readonly did: DidString
  /** Revision of the commit. */
  readonly rev: string
  /** Path of the staged file. */
  readonly staged: string
  /** Older records create no notifications. In milliseconds since 1970. */
  readonly notifySince: number
}

type Write = RemoteChange & { readonly content: object }

/** Whether a record describes its author, such as a profile. */
const isOfActor = ({ rkey }: RemoteChange) => rkey === 'self'
/** Such records of one author that are stored. */
const maxOfActor = 20

/** Returns whether no record was refused by a budget. @throws StoreFull, StoreUnavailable */
export async function applyRepository(deps: ApplyDeps, repository: VerifiedRepository): Promise<boolean> {
  const { source, did, rev, staged, notifySince } = repository
  const { toWrite, rest } = createSelection(deps, repository, await storedOf(deps, did))
  let isComplete = true
  const apply = async (changes: readonly RemoteChange[], notify: boolean) => {
    if (changes.length === 0) return
    const { overBudget } = await deps.intake.apply(source, changes, { notify })
    if (overBudget > 0) isComplete = false
  }
  const isOld = ({ rkey, content }: Write) =>
    (timeOf(rkey) ?? createdAtOf(content.bytes)?.getTime() ?? 0) < notifySince

  const ofActor: Write[] = []
  for await (const entries of slicesOf(readStagedFile(deps.files, staged))) {
    deps.signal.throwIfAborted()
    const writes = entries.map(toWrite).filter((write) => write !== undefined)
    ofActor.push(...writes.filter(isOfActor).slice(0, maxOfActor - ofActor.length))
    const records = writes.filter((write) => !isOfActor(write))
    const { old = [], recent = [] } = Object.groupBy(records, (write) => (isOld(write) ? 'old' : 'recent'))
    await apply(old, false)
    await apply(recent, true)
  }
  // Stored only for actors of whom something else is stored.
  await apply(ofActor, false)
  const deletions = rest().map(({ collection, rkey }) => ({ did, collection, rkey, rev, content: undefined }))
  await apply(deletions, false)
  return isComplete
}

/** Yields few entries at a time, so that other requests are answered in between. */
async function* slicesOf(pages: AsyncIterable<StagedEntry[]>): AsyncGenerator<StagedEntry[]> {
  for await (const page of pages) {
    for (let from = 0; from < page.length; from += sliceEntries) {
      yield page.slice(from, from + sliceEntries)
      await yieldToEventLoop()
    }
  }
}

/** They take a millisecond or two. */
const sliceEntries = 200

/** Returns the stored records of an actor by key. */
async function storedOf({ store }: ApplyDeps, did: string): Promise<Map<string, KeptRecord>> {
  const stored = new Map<string, KeptRecord>()
  for (let last: KeptRecord | undefined; ; await yieldToEventLoop()) {
    const page = keptPage(store, did, last, sliceEntries)
    for (const record of page) stored.set(`${record.collection}/${record.rkey}`, record)
    last = page.at(-1)
    if (!last) return stored
  }
}

/** Selects the records of an archive that differ from the stored ones. */
function createSelection(
  { filter }: ApplyDeps,
  { did, rev }: VerifiedRepository,
  stored: ReadonlyMap<string, KeptRecord>,
) {
  const rest = new Map(stored)
  const judge = filter.inRepository(did, (path) => stored.has(path))
  return {
    /** Returns the change that a record makes; undefined if it is stored already, or concerns no account here. */
    toWrite({ key, cid, bytes }: StagedEntry): Write | undefined {
      const { collection, rkey } = splitKey(key) as { collection: NsidString; rkey: RecordKeyString }
      const existing = stored.get(key)
      rest.delete(key)
      if (existing && Buffer.compare(existing.cid, cid) === 0) return undefined
      if (!existing && !judge(collection, rkey, bytes).keep) return undefined
      return { did, collection, rkey, rev, content: { cid: cidText(cid), bytes } }
    },
    /** The stored records that the archive has not had. */
    rest: (): KeptRecord[] => [...rest.values()],
  }
}
