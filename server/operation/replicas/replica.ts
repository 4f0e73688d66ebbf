/** The copy at one place: the parts that keep it up to date, prove it and clean it up. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { blobCids } from '../../platform/store/backups/backup-blobs.ts'
import type { Database } from '../../platform/store/database.ts'
import type { Files } from '../../platform/store/files.ts'
import { copiesName } from '../../platform/store/layout.ts'
import { compact } from './compact.ts'
import { compactMedia } from './compact-media.ts'
import { createLoop, type Loop } from './loop.ts'
import { openPlace, type PlaceOptions } from './places/open.ts'
import { createProver, type Prover } from './prove.ts'
import { createReplicator, type Replicator } from './replicator.ts'
import type { Sealer } from './sealer.ts'
import type { EarlierStatus } from './status.ts'
import type { Timelines } from './timeline.ts'
import { createUnreferenced } from './unreferenced.ts'

export interface Replica {
  readonly url: string
  readonly replicator: Replicator
  readonly prover: Prover
  readonly loop: Loop
  /** Joins older segments, and removes what is no longer kept. */
  compact(): Promise<void>
}

export interface ReplicaDeps {
  readonly url: string
  readonly store: Database
  readonly files: Files
  readonly dataDir: string
  readonly now: () => Date
  readonly sealer: Sealer
  /** The timeline of the data, which all places share. */
  readonly timelines: Timelines
  readonly options: Pick<PlaceOptions, 'credentials' | 'bandwidth'>
  readonly isMetered: () => Promise<boolean>
  /** Weeks for which a copy of each day is kept. */
  readonly weeks: number
  /** What an earlier run of the server has left. */
  readonly earlier: EarlierStatus | undefined
  /** Called when the state has changed. */
  readonly onState: () => void
  /** Called after each step. */
  readonly afterStep: () => Promise<void>
  readonly onUnloadable?: ((error: Error) => void) | undefined
  /** Aborts requests and ends the loop. */
  readonly closing: AbortSignal
  /** Ends proofs and clean-ups. */
  readonly signal?: AbortSignal | undefined
}

/** @throws PlaceProblem `invalid` */
export async function createReplica(deps: ReplicaDeps): Promise<Replica> {
  const { url, store, files, dataDir, now, sealer, timelines, closing, signal } = deps
  const place = await openPlace(url, { ...deps.options, now, signal: closing })
  const id = createHash('sha256').update(url).digest('hex').slice(0, 12)
  const unreferenced = createUnreferenced(files, join(dataDir, copiesName, `${id}.unreferenced`))
  const isMetered = url.startsWith('file:') ? async () => false : deps.isMetered
  const replicator = createReplicator({ ...deps, place, id, unreferenced, isMetered })
  const prover = await createProver({ ...deps, place, id, replicator, currentTimeline: timelines.current })
  const loop = createLoop({ ...deps, replicator, proof: () => prover.proof, signal: closing })
  const mediaHere = () => new Set(blobCids(store).map((cid) => sealer.hiddenName(cid)))

  return {
    ...{ url, replicator, prover, loop },
    async compact() {
      const timeline = timelines.current()
      if (!timeline) return
      const options = {
        now: now(),
        weeks: deps.weeks,
        signal,
        timeline,
        betweenSteps: replicator.betweenSteps,
      }
      await compact({ place, sealer }, options)
      const media = { unreferenced, here: mediaHere, onRemove: replicator.forget }
      await compactMedia({ place }, { ...options, ...media })
    },
  }
}
