/**
 * The copy at one place: the parts that keep it up to date, prove it and clean it up.
 *
 * `replicator.ts` makes its steps (`place-reader.ts`, `bases.ts`, `copy-media.ts`), `loop.ts` repeats them, `maintenance.ts` proves
 * (`prove.ts`) and compacts (`compact.ts`) by the rules of `replica-retention.ts`. `timeline.ts` has the timeline of this process,
 * `lease.ts` the computer that continues the server, `replica-key.ts` the encryption, `replica-pages.ts` the pages for a salvage.
 */

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { copiesName } from '../../store/files/layout.ts'
import { createCleanUps } from './clean-ups.ts'
import { compact, compactMedia } from './compact.ts'
import { createLoop, type Loop, pauseMs } from './loop.ts'
import { abortable, type openPlace } from './places/open.ts'
import type { PlaceOptions } from './places/place.ts'
import { createProver, type Prover } from './prove.ts'
import { createReplicator, type Replicator } from './replicator.ts'
import type { ReplicatorDeps } from './replicator-state.ts'
import type { Target } from './send.ts'
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

interface Deps extends Omit<ReplicatorDeps, 'place' | 'id' | 'unreferenced' | 'besideMs'> {
  readonly url: string
  readonly openPlace: typeof openPlace
  readonly options: Pick<PlaceOptions, 'credentials' | 'bandwidth'>
  /** Weeks for which a copy of each day is kept. */
  readonly weeks: number
  readonly onUnloadable?: ((error: Error) => void) | undefined
  /** Called after each step. */
  readonly afterStep: () => Promise<void>
  /** Aborts requests and ends the loop. */
  readonly closing: AbortSignal
  /** Ends proofs and clean-ups. */
  readonly signal?: AbortSignal | undefined
}

/** Names the files of a place in the data directory. */
export function idOf(url: string): string {
  return createHash('sha256').update(url).digest('hex').slice(0, 12)
}

export function placeOf(places: readonly Replica[], url: string): Replica {
  const place = places.find((each) => each.url === url)
  if (!place) throw new Error(`${url} is no place of copies.`)
  return place
}

/** @throws PlaceProblem `invalid` */
export async function createReplica(deps: Deps): Promise<Replica> {
  const { url, files, dataDir, now, sealer, mediaNames, closing, signal } = deps
  const place = abortable(await deps.openPlace(url, { ...deps.options, now, signal: closing }), closing)
  /** The target of work that ends before the last changes are copied. */
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
