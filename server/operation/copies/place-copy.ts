/** The copy at one place: the parts that keep it up to date, prove it and clean it up. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { blobCids } from '../../platform/store/backups/backup-blobs.ts'
import type { Database } from '../../platform/store/database.ts'
import type { Files } from '../../platform/store/files.ts'
import { copiesName } from '../../platform/store/layout.ts'
import { type Copier, createCopier } from './copier.ts'
import type { Lines } from './line.ts'
import { createLoop, type Loop } from './loop.ts'
import { openPlace, type PlaceOptions } from './places/open.ts'
import { createProver, type Prover } from './prove.ts'
import type { Sealer } from './sealer.ts'
import type { EarlierStatus } from './status.ts'
import { tidy } from './tidy.ts'
import { tidyMedia } from './tidy-media.ts'
import { createUnreferenced } from './unreferenced.ts'

export interface PlaceCopy {
  readonly url: string
  readonly copier: Copier
  readonly prover: Prover
  readonly loop: Loop
  /** Joins older segments, and removes what is no longer kept. */
  tidy(): Promise<void>
}

export interface PlaceCopyDeps {
  readonly url: string
  readonly store: Database
  readonly files: Files
  readonly dataDir: string
  readonly now: () => Date
  readonly sealer: Sealer
  /** The line of the data, which all places share. */
  readonly lines: Lines
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

/** @throws CopyProblem `invalid` */
export async function createPlaceCopy(deps: PlaceCopyDeps): Promise<PlaceCopy> {
  const { url, store, files, dataDir, now, sealer, lines, closing, signal } = deps
  const place = await openPlace(url, { ...deps.options, now, signal: closing })
  const id = createHash('sha256').update(url).digest('hex').slice(0, 12)
  const unreferenced = createUnreferenced(files, join(dataDir, copiesName, `${id}.unreferenced`))
  const isMetered = url.startsWith('file:') ? async () => false : deps.isMetered
  const copier = createCopier({ ...deps, place, id, unreferenced, isMetered })
  const prover = await createProver({ ...deps, place, id, copier, currentLine: lines.current })
  const loop = createLoop({ ...deps, copier, proof: () => prover.proof, signal: closing })
  const mediaHere = () => new Set(blobCids(store).map((cid) => sealer.hiddenName(cid)))

  return {
    ...{ url, copier, prover, loop },
    async tidy() {
      const line = lines.current()
      if (!line) return
      const options = { now: now(), weeks: deps.weeks, signal, line, betweenSteps: copier.betweenSteps }
      await tidy({ place, sealer }, options)
      const media = { unreferenced, here: mediaHere, onRemove: copier.forget }
      await tidyMedia({ place }, { ...options, ...media })
    },
  }
}
