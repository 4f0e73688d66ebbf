/** The continuous copies of this server: one replicator for each place, and what they share. */
import { join } from 'node:path'
import type { Config } from '../../platform/config/config.ts'
import { copiesName } from '../../store/files/layout.ts'
import { StoreContinued } from '../../store/files/store-errors.ts'
import { forgetJournals, keptJournals } from '../../store/journal/retire.ts'
import { pause } from '../../util/deadlines.ts'
import { removeLeftovers } from './bases.ts'
import { generationOf, newestGeneration } from './catalog.ts'
import {
  type CredentialsKeeper,
  CredentialsUnavailable,
  chooseKeyOfData,
  credentialsFile,
  type LoadedCredentials,
  loadCredentials,
  nameKey,
} from './credentials.ts'
import { createMaintenance, type MaintenanceDeps, type ReplicaMaintenance } from './maintenance.ts'
import { createMediaNames } from './media-names.ts'
import { createMeteredCheck, questions } from './metered.ts'
import { openPlace } from './places/open.ts'
import { createReplica, idOf, placeOf } from './replica.ts'
import { createStatusFile, type PlaceStatus, readEarlierStatus } from './replica-status.ts'
import { createSealer } from './sealer.ts'
import { beginTimeline, elsewhereProblem, type Timelines } from './timeline.ts'

export interface Replicas extends Omit<ReplicaMaintenance, 'ended'> {
  /** Begins to copy. */
  start(): void
  /** Returns the status of each place, in the order of the settings. */
  status(): readonly PlaceStatus[]
  /** Whether another computer continues the server, as a place has shown, also one that was removed since. */
  isElsewhere(): boolean
  /** Copies everything now, for at most `limitMs`. Resolves without an error: see `status`. */
  flush(limitMs: number): Promise<void>
  /** Reads all places again at once, as after the computer was asleep. */
  wake(): void
  /** Permits to begin anew at a place that had the copy and is empty. */
  acceptEmpty(url: string): Promise<void>
  /** Does not offer the changes any more that a place has and this disk has lost. */
  dismissLost(url: string): Promise<void>
  /** Makes this computer the one that continues the server, although another one did. */
  continueHere(): Promise<void>
  /** Copies the remaining changes, for at most `limitMs`, and stops. Call it after the last write. */
  close(limitMs: number): Promise<void>
}

export interface ReplicasOptions {
  /** Keeps the key and the passwords of places; the file of the settings by default. */
  readonly copiesKeeper?: CredentialsKeeper | undefined
  /** Replaces the places by simulated ones. */
  readonly openPlace?: typeof openPlace
}

interface Deps extends ReplicasOptions, Omit<MaintenanceDeps, 'places' | 'dataDir' | 'onState'> {
  readonly config: Pick<
    Config,
    'dataDir' | 'copies' | 'copiesCredentials' | 'copiesBandwidth' | 'copiesKeep' | 'copiesMetered'
  >
  readonly now: () => Date
  readonly onUnloadable?: (error: Error) => void
  readonly inlineJobs?: boolean | undefined
}

/** Copies that have no place. Another computer that continues the server is remembered until the owner decides. */
function withoutPlaces(deps: Deps, timelines: Timelines): Replicas {
  return {
    ...createMaintenance({ ...deps, dataDir: deps.config.dataDir, places: [], onState() {} }),
    status: () => [],
    isElsewhere: () => timelines.elsewhere !== undefined,
    start: () => refuseIfElsewhere(deps.store, timelines),
    ...{ wake() {}, flush: async () => {}, close: async () => {} },
    ...{ acceptEmpty: async () => {}, dismissLost: async () => {} },
    async continueHere() {
      await timelines.takeOver(knownGeneration(timelines), deps.store.seq)
      refuseIfElsewhere(deps.store, timelines)
    },
  }
}

/** Copies that cannot begin without their key. Journals are kept for them. */
function withoutKey(deps: Deps, timelines: Timelines, message: string): Replicas {
  const { now, config } = deps
  const status = {
    ...{ copiedAt: undefined, seq: undefined, progress: undefined, proof: undefined, lost: undefined },
    ...{ behind: 0, behindSeconds: 0, missingMedia: 0, missingHere: 0, isPaused: false },
  }
  const locked = { kind: 'local', message, since: now() } as const
  const problem = () => {
    const { elsewhere } = timelines
    if (!elsewhere) return locked
    const { kind, message, since = locked.since } = elsewhereProblem(elsewhere)
    return { kind, message, since }
  }
  return {
    ...withoutPlaces(deps, timelines),
    status: () => config.copies.map((url) => ({ url, ...status, problem: problem() })),
  }
}

/** Another computer continues this server: two must not write as one identity. */
function refuseIfElsewhere(store: Deps['store'], { elsewhere }: Timelines): void {
  store.refuseWrites(
    elsewhere && new StoreContinued(`${elsewhereProblem(elsewhere).message} This one accepts no changes.`),
  )
}

/** Returns the highest generation that is known without the places. */
function knownGeneration({ current, elsewhere }: Timelines): number {
  return Math.max(current.generation, generationOf(elsewhere?.timeline ?? '0'))
}

/** Creates the copies. If there are no places, it releases the journals that were kept for them. */
export async function createReplicas(deps: Deps): Promise<Replicas> {
  const { config, store, files, now, log } = deps
  const { dataDir, copies: urls, copiesCredentials } = config
  const timelines = await beginTimeline(files, dataDir, { seq: store.openedSeq, now })
  if (urls.length > 0 || timelines.isContinued) {
    // Before the first transaction, also while nothing can be copied: a clone of this folder may go on, too, from the same transaction.
    await timelines.keep().catch((error: unknown) => log.warn({ err: error }, 'timeline not saved'))
  }
  await removeLeftovers(files, join(dataDir, copiesName), urls.map(idOf))
  if (urls.length === 0) {
    await files.removeDir(keptJournals(dataDir))
    return withoutPlaces(deps, timelines)
  }
  await files.makeDir(keptJournals(dataDir))
  const keeper = deps.copiesKeeper ?? credentialsFile(dataDir, copiesCredentials, files)
  const loaded = await loadCredentials(keeper, dataDir, files).catch((error: unknown) => {
    if (error instanceof CredentialsUnavailable) return error
    throw error
  })
  if (loaded instanceof CredentialsUnavailable) {
    log.warn({ err: loaded }, 'copies not started without their key')
    return withoutKey(deps, timelines, loaded.message)
  }
  try {
    await nameKey(dataDir, loaded.replicaKey, files)
    await chooseKeyOfData(keeper, dataDir, files)
  } catch (error) {
    log.warn({ err: error }, 'key of the copies not kept')
  }
  return createReplicasWith(deps, loaded, timelines)
}

async function createReplicasWith(
  deps: Deps,
  { replicaKey, places: credentials = {} }: LoadedCredentials,
  timelines: Timelines,
): Promise<Replicas> {
  const { config, store, files, log } = deps
  const { dataDir, copies: urls, copiesBandwidth: bandwidth, copiesKeep: weeks } = config
  const sealer = createSealer(replicaKey, { onUnloadable: deps.onUnloadable, isInline: deps.inlineJobs })
  const mediaNames = createMediaNames(store, sealer)
  const earlier = await readEarlierStatus(files, dataDir)
  const closing = new AbortController()
  const isMetered = config.copiesMetered
    ? async () => false
    : createMeteredCheck(questions[process.platform], closing.signal)
  const places = await Promise.all(
    urls.map((url) =>
      createReplica({
        ...deps,
        ...{ url, dataDir, sealer, timelines, mediaNames, isMetered, weeks, onState, afterStep },
        ...{ openPlace: deps.openPlace ?? openPlace, closing: closing.signal, earlier: earlier.get(url) },
        options: { credentials: credentials[url], bandwidth },
      }),
    ),
  )
  const status = () => places.map(({ loop }) => loop.status())
  const statusFile = createStatusFile(files, dataDir, status)
  const stopWatching = store.watch('all', () => {
    for (const { loop } of places) loop.changed()
  })

  function onState(): void {
    refuseIfElsewhere(store, timelines)
    statusFile.changed()
  }

  /** Removes journals that all places have. */
  async function afterStep(): Promise<void> {
    const reached = Math.min(...places.map(({ replicator }) => replicator.state.journalSeq ?? 0))
    if (reached === 0) return
    await forgetJournals(files, dataDir, reached + 1).catch((error: unknown) =>
      log.warn({ err: error }, 'copied journals not removed, trying again after the next step'),
    )
  }

  async function flush(limitMs: number): Promise<void> {
    const copied = Promise.all(places.map(({ loop }) => loop.flush()))
    await Promise.race([copied, pause(limitMs, { ref: false })])
  }

  function wake(): void {
    for (const { loop } of places) loop.wake()
  }

  const { ended, ...maintenance } = createMaintenance({ ...deps, places, dataDir, onState })
  return {
    ...maintenance,
    ...{ status, flush, wake },
    isElsewhere: () => timelines.elsewhere !== undefined,
    start() {
      // What an earlier run has noticed.
      onState()
      for (const { loop } of places) {
        void loop.run().catch((error: unknown) => log.error({ err: error }, 'copies stopped'))
      }
    },
    async acceptEmpty(url) {
      await placeOf(places, url).replicator.acceptEmpty()
      wake()
    },
    async dismissLost(url) {
      const { lost } = placeOf(places, url).replicator.state
      if (lost) await timelines.dismiss(lost)
      wake()
    },
    async continueHere() {
      const generations = await Promise.all(
        places.map(({ target }) => newestGeneration(target).catch(() => 0)),
      )
      await timelines.takeOver(Math.max(knownGeneration(timelines), ...generations), store.seq)
      onState()
      for (const { replicator } of places) replicator.takeOver()
      wake()
    },
    async close(limitMs) {
      stopWatching()
      await flush(limitMs)
      closing.abort()
      await Promise.all([ended(), ...places.map(({ loop }) => loop.ended())])
      await sealer.end()
      await statusFile.write()
    },
  }
}
