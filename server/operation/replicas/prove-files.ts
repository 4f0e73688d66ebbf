/** Puts a fetched copy together, and compares it with the data of this computer. */
import { join } from 'node:path'
import { type Summary, summarizeFile } from '../../platform/store/backups/summary.ts'
import { StoreDamaged } from '../../platform/store/errors.ts'
import type { Files } from '../../platform/store/files.ts'
import { assemble, databasePath } from './assemble.ts'
import { checkRestore } from './check-restore.ts'
import { PlaceProblem } from './places/place.ts'

export interface AssembledJob {
  /** The folder of `fetchChain`. */
  readonly folder: string
  /** What the store was when the proof began. */
  readonly store: Summary
  readonly at: Date
}

export interface AssembledResult {
  readonly problem: string | undefined
  /** CIDs of its media. */
  readonly cids: readonly string[]
}

export async function checkAssembled(
  files: Files,
  { folder, store, at }: AssembledJob,
): Promise<AssembledResult> {
  try {
    const cids = await assemble(files, folder, store)
    const { sha256 } = await summarizeFile(files, databasePath(folder))
    if (sha256 !== store.sha256) {
      return { problem: `The copy differs from the data of this computer at transaction ${store.seq}.`, cids }
    }
    const job = { file: databasePath(folder), scratch: join(folder, 'check'), at, withoutMedia: true }
    return { problem: (await checkRestore(files, job)).problem, cids }
  } catch (error) {
    if (!(error instanceof PlaceProblem || error instanceof StoreDamaged)) throw error
    return { problem: error.message, cids: [] }
  }
}
