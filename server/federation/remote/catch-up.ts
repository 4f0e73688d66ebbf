/**
 * Catches up with changes that the event streams of upstreams did not report: after a gap the repositories of an upstream are listed, and
 * changed ones are read from their hosts. The work is in tables, so that a restart continues it. Meanwhile the
 * streams go on, too: of two versions of a record, the later revision counts.
 */
import type { DidString } from '@atproto/syntax'
import type { Platform } from '../../platform/platform.ts'
import { inSlices } from '../../store/slices.ts'
import type { Actors } from '../actors/actors.ts'
import * as catchUps from '../tables/catch-ups.ts'
import * as repositories from '../tables/remote-repositories.ts'
import * as queue from '../tables/repository-queue.ts'
import type { Filter } from './filter/filter.ts'
import type { Hosts } from './hosts.ts'
import type { Intake } from './intake.ts'
import { marginMs, repositoriesToRead } from './list-repositories.ts'
import { isRepoNotFound } from './repository-origin.ts'
import type { RepositorySync } from './repository-sync.ts'
import { createRetries } from './retries.ts'
import type { StatusClaims } from './status-claims.ts'

export interface CatchUp {
  /**
   * Events of an upstream were missed, or it is new. Resolves when this is on disk.
   * @param since when the last event before the gap came, in milliseconds since 1970; undefined for a new upstream
   */
  onGap(upstream: string, since: number | undefined): Promise<void>
  /**
   * The stored records of a repository may be incomplete or outdated. It is read if anything of its actor concerns an account here;
   * otherwise as `onUnknown` has it.
   * @param upstream origin of the upstream that reported a change, if one did
   */
  onIncomplete(did: DidString, upstream: string | undefined): Promise<void>
  /**
   * An upstream reports the repository of an author who concerns no account here yet, as one that was published after its first
   * writes. It is read if that upstream hosts it. Only some such authors are remembered.
   */
  onUnknown(did: DidString, upstream: string): Promise<void>
  /**
   * Events of an author were left out: its repository is read later, once for all of them. Returns whether it will be: of authors that
   * do not concern accounts here yet, only some are remembered.
   */
  onDropped(did: DidString, upstream: string): Promise<boolean>
  /** How many repositories of an upstream are read; undefined if no catch-up is under way. */
  progress(upstream: string): { readonly done: number; readonly total: number } | undefined
  /** Continues work that is due. */
  resumeDue(): void
}

interface Deps extends Pick<Platform, 'store' | 'background' | 'log' | 'now' | 'clock' | 'signal'> {
  readonly hosts: Hosts
  readonly actors: Pick<Actors, 'forgetHost'>
  readonly repositorySync: RepositorySync
  readonly filter: Pick<Filter, 'isLocal' | 'isKnown'>
  readonly intake: Pick<Intake, 'setStatus'>
  readonly statusClaims: Pick<StatusClaims, 'settle'>
  /** Origins of the upstreams. */
  readonly upstreams: () => readonly string[]
}

/** The repository of an actor is not read more often than this. */
const intervalMs = 10 * 60_000
/** Milliseconds after which an author is read whose events were left out: budgets are counted by the hour. */
const droppedMs = 60 * 60_000
/** Authors who are remembered although they do not concern accounts here yet. */
const maxUnknown = 500
/** Milliseconds for which writes before the publication of an account notify: as long as streams keep events. */
const unpublishedMs = 3 * 24 * 60 * 60_000
/** Milliseconds for which the result of reading a repository is kept. */
const keptMs = 30 * 24 * 60 * 60_000

export function createCatchUp(deps: Deps): CatchUp {
  const { store, filter, log, signal } = deps
  const now = () => deps.now().getTime()
  /** By a clock that is years ahead, every record would be too old to notify. */
  const earliest = () => deps.clock.earliest().getTime()
  const listing = new Map<string, 'once' | 'again'>()

  const reads = createRetries<queue.DueRepository>({
    ...deps,
    name: 'reading of a repository',
    parallel: 4,
    hostOf: ({ host }) => host,
    keyOf: ({ did }) => did,
    due: (limit, busy) => queue.due(store, now(), limit, busy),
    work: (row) => read(deps, row),
    done: remove,
    postpone: ({ did }, delayMs) => store.transact((tx) => queue.postpone(tx, did, now() + delayMs)),
    async giveUp(row, error) {
      if (isRepoNotFound(error)) {
        await deps.intake.setStatus(row.did, await deps.statusClaims.settle(row.did, 'deleted'))
      }
      await remove(row)
    },
  })

  function remove(row: queue.QueuedRepository): Promise<void> {
    return store.transact((tx) => {
      queue.remove(tx, row, now() + intervalMs)
      catchUps.removeDone(tx)
      repositories.removeBefore(tx, now() - keptMs)
    })
  }

  /**
   * Whether a repository is queued, and will be read from now on and in any case. A source may report the same author any number of
   * times: only the first one is a transaction.
   */
  function isQueued(did: string): boolean {
    const row = queue.find(store, did)
    return row?.changedSince === null && row.version !== reads.running(did)?.version
  }

  /** Lists the repositories of an upstream in the background. A failure is retried when the next run is due. */
  function list(catchUp: catchUps.CatchUp): void {
    const { upstream } = catchUp
    if (listing.has(upstream) || signal.aborted) return
    listing.set(upstream, 'once')
    deps.background.run('list of repositories', async () => {
      try {
        const missed = await repositoriesToRead(deps, catchUp)
        await inSlices(store, (tx) => {
          const repository = missed.pop()
          if (repository) queue.add(tx, { upstream, ...repository, dueAt: now() })
          return repository !== undefined
        })
        await store.transact((tx) => {
          // If there was another gap meanwhile, the list may be too old.
          if (listing.get(upstream) !== 'again') catchUps.setTotal(tx, upstream, queue.countOf(tx, upstream))
          catchUps.removeDone(tx)
        })
      } catch (error) {
        if (!signal.aborted) log.warn({ err: error, upstream }, 'list of repositories failed')
      }
      const isAgain = listing.get(upstream) === 'again'
      listing.delete(upstream)
      if (isAgain) resumeDue()
      else reads.startDue()
    })
  }

  function resumeDue(): void {
    const upstreams = deps.upstreams()
    for (const catchUp of catchUps.unlisted(store)) if (upstreams.includes(catchUp.upstream)) list(catchUp)
    reads.startDue()
  }

  /** Queues the repository of an author who concerns no account here yet. */
  async function addUnknown(did: DidString, upstream: string): Promise<void> {
    if (isQueued(did) || queue.countOf(store, upstream) >= maxUnknown) return
    const readAt = repositories.find(store, did)?.readAt ?? 0
    const dueAt = Math.max(now(), readAt + intervalMs)
    const notifySince = earliest() - unpublishedMs
    await store.transact((tx) => queue.add(tx, { did, upstream, changedSince: null, notifySince, dueAt }))
    reads.startDue()
  }

  return {
    async onGap(upstream, since) {
      // The events of its identities were missed as well.
      await deps.actors.forgetHost(upstream)
      await store.transact((tx) => catchUps.begin(tx, { upstream, since: since ?? null }))
      if (listing.has(upstream)) listing.set(upstream, 'again')
      resumeDue()
    },
    async onIncomplete(did, upstream) {
      if (isQueued(did)) return
      if (!filter.isKnown(did)) return upstream === undefined ? undefined : addUnknown(did, upstream)
      const readAt = repositories.find(store, did)?.readAt ?? 0
      const dueAt = Math.max(now(), readAt + intervalMs)
      await store.transact((tx) =>
        queue.add(tx, {
          did,
          upstream: upstream ?? null,
          changedSince: null,
          notifySince: earliest() - marginMs,
          dueAt,
        }),
      )
      reads.startDue()
    },
    onUnknown: addUnknown,
    async onDropped(did, upstream) {
      if (isQueued(did)) return true
      const isKnown = filter.isKnown(did)
      if (!isKnown && queue.countWithoutUpstream(store) >= maxUnknown) return false
      await store.transact((tx) =>
        queue.add(tx, {
          did,
          // Only the upstream's own accounts are read for it while they concern no account here.
          upstream: isKnown ? upstream : null,
          changedSince: null,
          notifySince: earliest() - marginMs,
          dueAt: now() + droppedMs,
        }),
      )
      return true
    },
    progress(upstream) {
      const catchUp = catchUps.find(store, upstream)
      if (!catchUp) return undefined
      const total = catchUp.total ?? 0
      return { total, done: Math.max(0, total - queue.countOf(store, upstream)) }
    },
    resumeDue,
  }
}

/** Reads a queued repository. Of an actor that concerns no account here yet, only the upstream that hosts it is asked. */
function read({ filter, repositorySync }: Deps, row: queue.QueuedRepository): Promise<void> {
  const { did, upstream, changedSince, notifySince } = row
  return repositorySync.sync(did, {
    via: upstream ?? undefined,
    hostedAt: filter.isKnown(did) ? undefined : (upstream ?? undefined),
    changedSince: changedSince ?? undefined,
    notifySince,
  })
}
