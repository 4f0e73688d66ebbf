/** Reads whole repositories of remote actors from their hosts, to catch up with changes that no event stream reported. */
import { join } from 'node:path'
import type { DidString } from '@atproto/syntax'
import { UnresolvableDid } from '../../identity/did/resolver.ts'
import { OutboundFailed } from '../../platform/network/client.ts'
import type { Platform } from '../../platform/platform.ts'
import { XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import { timeOf } from '../../repository/format/tid.ts'
import { InvalidProof } from '../../repository/format/verify-commit.ts'
import { isInvalidArchive } from '../../repository/records/import/invalid-archive.ts'
import { createVerifier } from '../../repository/records/import/verifier.ts'
import { importsName } from '../../store/files/layout.ts'
import { receiveFile } from '../../store/files/receive-file.ts'
import { deadlineSignal } from '../../util/deadlines.ts'
import { createLimit } from '../../util/limit.ts'
import { temporaryName } from '../../util/random.ts'
import * as repositories from '../tables/remote-repositories.ts'
import { type ApplyDeps, applyRepository } from './apply-repository.ts'
import type { Filter } from './filter/filter.ts'
import type { Hosts } from './hosts.ts'
import type { Intake } from './intake.ts'
import type { Limits } from './limits/limits.ts'
import type { RemoteStatus } from './remote-status.ts'
import { type Identify, isRepoNotFound, type Origin, withOrigin } from './repository-origin.ts'
import type { StatusClaims } from './status-claims.ts'

export interface SyncOptions {
  /** Origin of the upstream that reported the repository. */
  readonly via?: string | undefined
  /** Origin of a host: a repository that is elsewhere is not read. */
  readonly hostedAt?: string | undefined
  /** In milliseconds since 1970: only a repository that has changed since is read. */
  readonly changedSince?: number | undefined
  /** Whether it is read although its revision is the one that was read last: other records of it are of interest now. */
  readonly isWhole?: boolean | undefined
  /** In milliseconds since 1970: older records create no notifications; by default all do. */
  readonly notifySince?: number | undefined
}

export interface RepositorySync {
  /**
   * Reads the repository of a remote actor if its revision is not the one that was read last: stores its records that concern
   * accounts here, and deletes stored ones that it no longer has. An inactive repository makes the actor inactive.
   * @throws UnresolvableDid, OutboundFailed, OutboundRefused, InvalidProof
   */
  sync(did: DidString, options?: SyncOptions): Promise<void>
}

interface Deps extends Omit<ApplyDeps, 'store'>, Pick<Platform, 'store' | 'now'> {
  readonly dataDir: string
  readonly actors: { readonly identify: Identify }
  readonly hosts: Hosts
  readonly filter: Filter
  readonly limits: Pick<Limits, 'downloads'>
  readonly intake: Intake
  readonly statusClaims: Pick<StatusClaims, 'isActiveElsewhere'>
  readonly onUnloadable: (error: Error) => void
  /** Replaces the time limit of a request; tests use a lower one. */
  readonly deadlineMs?: number
}

const maxBytes = 200_000_000
/** Milliseconds for which the thread that verifies waits for the next repository. */
const workerIdleMs = 10_000
/** Milliseconds in which a host must have sent a repository. */
const defaultDeadlineMs = 15 * 60_000

export function createRepositorySync(deps: Deps): RepositorySync {
  const { filter, actors } = deps
  const verify = createVerifier({ ...deps, idleMs: workerIdleMs })
  // One host cannot delay the repositories of all others.
  const limit = createLimit({ total: 4, perKey: 2 })
  const running = new Map<string, Promise<void>>()

  async function run(did: DidString, options: SyncOptions): Promise<void> {
    const identify: Identify = (_, more) =>
      identifyDeleted(actors.identify, did, { ...more, via: options.via })
    const sync = () =>
      withOrigin(identify, did, (origin) =>
        limit(origin.host, () => syncFrom({ ...deps, verify }, origin, did, options)),
      )
    const { statusClaims, intake } = deps
    const status = await sync().catch(async (error: unknown) => {
      if (isRepoNotFound(error) && (await statusClaims.isActiveElsewhere(did))) return sync()
      throw error
    })
    if (!status) return
    if (await statusClaims.isActiveElsewhere(did)) await sync()
    else await intake.setStatus(did, status)
  }

  return {
    async sync(did, options = {}) {
      if (filter.isLocal(did)) return
      // A second call may know of a later change.
      const earlier = running.get(did)
      const result = earlier ? earlier.then(() => run(did, options)) : run(did, options)
      const settled = result.catch(() => {})
      running.set(did, settled)
      try {
        await result
      } finally {
        if (running.get(did) === settled) running.delete(did)
      }
    },
  }
}

/**
 * Returns the last known identity of an actor whose DID no longer resolves: its host may have been the only place where it could be
 * read, and says whether the repository was deleted.
 */
async function identifyDeleted(
  identify: Identify,
  did: string,
  options: Parameters<Identify>[1],
): Promise<Origin> {
  return identify(did, options).catch((error: unknown) => {
    if (!(error instanceof UnresolvableDid)) throw error
    return identify(did, { ...options, maxAgeMs: Number.POSITIVE_INFINITY })
  })
}

type SyncDeps = Deps & {
  readonly verify: ReturnType<typeof createVerifier>
}

/** Returns the status that the host states; undefined if the repository is active, or was not asked for. */
async function syncFrom(
  deps: SyncDeps,
  origin: Origin,
  did: DidString,
  options: SyncOptions,
): Promise<RemoteStatus | undefined> {
  const { store, intake, deadlineMs = defaultDeadlineMs } = deps
  if (options.hostedAt !== undefined && options.hostedAt !== origin.host) return undefined
  const call = {
    query: `did=${encodeURIComponent(did)}`,
    signal: deadlineSignal(deadlineMs),
  }
  const peer = deps.hosts.at(origin.host)
  try {
    const { rev } = await peer.get('com.core.sync.getLatestCommit', call)
    const time = timeOf(String(rev))
    if (time === undefined) throw new OutboundFailed(`${origin.host} answered without a revision`)
    if (repositories.isInactive(store, did)) await intake.setStatus(did, undefined)
    if (!options.isWhole && repositories.find(store, did)?.rev === rev) return undefined
    if (options.changedSince !== undefined && time < options.changedSince) return undefined
    const { body } = await peer.download('com.core.sync.getRepo', maxBytes, call)
    await applyArchive(deps, origin, did, deps.limits.downloads.count(origin.host, body), options)
    return undefined
  } catch (error) {
    const status = error instanceof XrpcError ? statuses[error.name] : undefined
    if (!status) throw error
    return status
  }
}

/** States of a repository, by error of its host. */
const statuses: Readonly<Record<string, RemoteStatus>> = {
  RepoDeactivated: 'deactivated',
  RepoSuspended: 'suspended',
  RepoTakendown: 'takendown',
}

/** Verifies an archive in a file, and applies it. Leaves no file. */
async function applyArchive(
  deps: SyncDeps,
  origin: Origin,
  did: DidString,
  body: AsyncIterable<Uint8Array>,
  options: SyncOptions,
): Promise<void> {
  const { files } = deps
  // The folder is emptied at the start of the server.
  const folder = join(deps.dataDir, importsName)
  const path = join(folder, temporaryName())
  const [archive, staged] = [`${path}.car`, `${path}.staged`]
  try {
    await files.makeDir(folder)
    await receiveFile(files, archive, body)
    const { rev } = await deps.verify({ archive, staged, did, signingKey: origin.signingKey })
    const before = repositories.find(deps.store, did)?.rev
    if (before !== undefined && rev < before)
      throw new InvalidProof(`${origin.host} sent an older revision of ${did}`)
    await files.remove(archive)
    const { notifySince = 0 } = options
    const isComplete = await applyRepository(deps, { source: origin.host, did, rev, staged, notifySince })
    if (!isComplete) return
    const readAt = deps.now().getTime()
    await deps.store.transact((tx) => repositories.put(tx, did, { rev, readAt }))
  } catch (error) {
    if (isInvalidArchive(error)) throw new InvalidProof(`${origin.host}: ${error.message}`)
    throw error
  } finally {
    await files.remove(archive)
    await files.remove(staged)
  }
}
