/** Periodic work on the copies: proofs, clean-ups, and the limit of journals that are kept for them. */
import { join } from 'node:path'
import type { Database } from '../../store/database.ts'
import type { Files } from '../../store/files/files.ts'
import { databaseName, journalPath, journalSeqs } from '../../store/files/layout.ts'
import { forgetJournals, keptJournals } from '../../store/journal/retire.ts'
import type { Logger } from '../../util/log.ts'
import { createSerializer } from '../../util/serialize.ts'
import { untilAborted } from '../../util/until-aborted.ts'
import { fetchMissingMedia } from './missing-media.ts'
import type { Proof } from './prove.ts'
import { placeOf, type Replica } from './replica.ts'

export interface ReplicaMaintenance {
  /** Proves now that the copy at a place comes back. @throws Error if it cannot be found out */
  prove(url: string): Promise<Proof>
  /** Proves the copies whose last proof is too old. */
  proveDue(): Promise<void>
  /** Joins older segments at all places and removes what is no longer kept. */
  compact(): Promise<void>
  /** Fetches media that this computer has lost from the places. */
  fetchMissingMedia(): Promise<void>
  /** Limits the disk space of journals that are kept for places that are behind. */
  limitJournals(): Promise<void>
  /** Resolves when proofs and clean-ups have ended, after the signals of the places. */
  ended(): Promise<void>
}

export interface MaintenanceDeps {
  readonly places: readonly Replica[]
  readonly store: Database
  readonly files: Files
  readonly dataDir: string
  readonly log: Logger
  /** Called when the state has changed. */
  readonly onState: () => void
  /** Repairs media from their copies among the backups. */
  readonly repairMedia?: ((cids: readonly string[]) => Promise<unknown>) | undefined
  readonly signal?: AbortSignal | undefined
}

/** Most bytes of journals that are kept for places, or half of the database if that is more. */
const keptBytes = 256_000_000

export function createMaintenance(deps: MaintenanceDeps): ReplicaMaintenance {
  const { places, store, files, dataDir, log, onState, signal } = deps
  /** Proofs and clean-ups: one at a time. */
  const serialize = createSerializer()

  /** Does not wait for a place when the server stops: `ended` does, once its requests are aborted. */
  const whileRunning = <T>(work: () => Promise<T>) => (signal ? untilAborted(work, signal) : work())

  async function prove({ url, prover }: Replica): Promise<Proof> {
    const proof = await serialize(() => prover.prove())
    onState()
    if (proof.problem === undefined) log.info({ place: url }, 'copy proven')
    else log.error({ place: url, problem: proof.problem }, 'copy cannot be restored')
    return proof
  }

  /** Does work for each place that can be used; a failure stops no other. */
  async function forEach(name: string, work: (place: Replica) => Promise<unknown>): Promise<void> {
    for (const each of places) {
      const { problem, isPaused } = each.replicator.state
      if (problem || isPaused || signal?.aborted) continue
      await whileRunning(() => work(each)).catch((error: unknown) => {
        // The server stops: the next start does it again.
        if (!signal?.aborted) log.warn({ err: error, place: each.url }, `${name} failed`)
      })
    }
  }

  /** Returns whether fewer than half of the kept bytes follow a transaction. */
  async function nearEnd(): Promise<(seq: number) => boolean> {
    const kept = keptJournals(dataDir)
    const firsts = journalSeqs(await files.list(kept))
    const sizes = await Promise.all(firsts.map((first) => files.size(journalPath(kept, first))))
    return (seq) => {
      const from = firsts.findLastIndex((first) => first <= seq + 1)
      return sizes.slice(Math.max(from, 0)).reduce((sum, size) => sum + size, 0) < keptBytes / 2
    }
  }

  return {
    prove: async (url) => prove(placeOf(places, url)),
    proveDue: () =>
      forEach('proof of a copy', async (place) => {
        if (place.prover.isDue()) await prove(place)
      }),
    fetchMissingMedia: () =>
      forEach('fetching of lost media', async ({ url, target }) => {
        const { repairMedia } = deps
        if (!repairMedia) return
        const count = await serialize(() => fetchMissingMedia(target, { ...deps, repairMedia }))
        if (count > 0) log.warn({ place: url, count }, 'lost media fetched from their copy')
      }),
    compact: () => forEach('clean-up of a copy', (place) => serialize(() => place.compact())),
    ended: () => serialize(async () => {}),
    async limitJournals() {
      const { bytes = 0 } = (await files.measureDir(keptJournals(dataDir))) ?? {}
      if (bytes <= keptBytes || bytes <= (await files.size(join(dataDir, databaseName))) / 2) return
      // A place that is slower than the changes gets the database again, as does one that cannot be reached.
      const reached = places.flatMap(({ replicator: { state } }) =>
        state.problem || state.isPaused ? [] : (state.journalSeq ?? []),
      )
      const isNear = await nearEnd()
      const needed = Math.min(store.seq, ...reached.filter(isNear))
      await forgetJournals(files, dataDir, needed + 1)
      log.warn({ bytes }, 'journals for places that are behind removed: they get the database again')
    },
  }
}
