/** The copy at one place: the parts that keep it up to date, prove it and clean it up. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Database } from '../../platform/store/database.ts'
import type { Files } from '../../platform/store/files.ts'
import { copiesName } from '../../platform/store/layout.ts'
import { createCleanUps } from './clean-ups.ts'
import { compact } from './compact.ts'
import { compactMedia } from './compact-media.ts'
import { createLoop, type Loop, pauseMs } from './loop.ts'
import type { MediaNames } from './media-names.ts'
import { abortable } from './places/abortable.ts'
import type { openPlace, PlaceOptions } from './places/open.ts'
import { createProver, type Prover } from './prove.ts'
import { createReplicator, type Replicator } from './replicator.ts'
import type { Sealer } from './sealer.ts'
import type { Target } from './send.ts'
import type { EarlierStatus } from './status.ts'
import type { Timelines } from './timeline.ts'
import { createUnreferenced } from './unreferenced.ts'

export interface Replica {
  readonly url: string
  readonly target: Target
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
  /** The timeline of this process and the names of the media, which all places share. */
  readonly timelines: Timelines
  readonly mediaNames: MediaNames
  readonly openPlace: typeof openPlace
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

/** Names the files of a place in the data directory. */
export function idOf(url: string): string {
  return createHash('sha256').update(url).digest('hex').slice(0, 12)
}

/** @throws PlaceProblem `invalid` */
export async function createReplica(deps: ReplicaDeps): Promise<Replica> {
  const { url, files, dataDir, now, sealer, mediaNames, closing, signal } = deps
  const place = abortable(await deps.openPlace(url, { ...deps.options, now, signal: closing }), closing)
  /** For work that ends before the last changes are copied. */
  const target = { place: signal ? abortable(place, signal) : place, sealer }
  const id = idOf(url)
  const unreferenced = createUnreferenced(files, join(dataDir, copiesName, `${id}.unreferenced`))
  const cleanUps = createCleanUps(files, join(dataDir, copiesName, `${id}.clean-up`))
  const isMetered = url.startsWith('file:') ? async () => false : deps.isMetered
  const replicator = createReplicator({ ...deps, place, id, unreferenced, isMetered, besideMs: pauseMs(url) })
  const prover = await createProver({ ...deps, ...target, id, replicator })
  const loop = createLoop({ ...deps, replicator, proof: () => prover.proof, signal: closing })

  return {
    ...{ url, target, replicator, prover, loop },
    async compact() {
      const options = { now: now(), weeks: deps.weeks, signal, replicator, cleanUps }
      await compact(target, options)
      await compactMedia(target, { ...options, unreferenced, mediaNames })
    },
  }
}
