/**
 * Reads all pages of the database file within a week, a part in each run, and compares them with their checksums. So damage of data that is
 * rarely read is found while there are backups without it. The progress is kept in `pds.sqlite.check`.
 */
import { join } from 'node:path'
import { createPace } from '../util/turns.ts'
import type { Database } from './database.ts'
import { type Files, readIfThere, replaceFile } from './files/files.ts'
import { pageCheckName } from './files/layout.ts'

export interface PageCheck {
  /** Checks the pages that are due. */
  run(): Promise<void>
  state(): PageCheckState
}

export interface PageCheckState {
  /** When the last round ended that found no damage; undefined before. */
  readonly verifiedAt: Date | undefined
  /** Number of pages that were damaged when they were last read. */
  readonly damagedPages: number
  /** The part of the pages that this round has checked, from 0 to 1. */
  readonly share: number
  /** When this round ends, if the server runs until then. */
  readonly endsAt: Date
}

interface Deps {
  readonly store: Pick<Database, 'pageCount' | 'damagedPages' | 'isPageIntact'>
  readonly files: Files
  readonly dataDir: string
  readonly now: () => Date
  /** Ends a run early. */
  readonly signal: AbortSignal
}

/** Times are in milliseconds since 1970. */
interface Progress {
  /** When the round began. */
  startedAt: number
  /** The page that is checked next. */
  next: number
  verifiedAt?: number | undefined
}

/** The content of the file. */
interface Stored extends Progress {
  readonly damaged: readonly number[]
}

const hourMs = 60 * 60_000
const roundMs = 7 * 24 * hourMs

export async function createPageCheck({ store, files, dataDir, now, signal }: Deps): Promise<PageCheck> {
  const path = join(dataDir, pageCheckName)
  const { damaged: before = [], ...stored } = decode(await readIfThere(files, path)) ?? {}
  let progress: Progress = { startedAt: now().getTime(), next: 1, ...stored }
  for (const page of before) store.isPageIntact(page)

  /** Returns how many pages of the round must be checked at the end of this run. Runs are an hour apart. */
  function due(): number {
    const at = now().getTime()
    // The clock may have been set back.
    progress.startedAt = Math.min(progress.startedAt, at)
    const elapsed = at - progress.startedAt + hourMs
    return Math.ceil(store.pageCount * Math.min(1, elapsed / roundMs))
  }

  return {
    async run() {
      const endOfPiece = createPace()
      for (const page of store.damagedPages) store.isPageIntact(page)
      for (const end = due(); progress.next <= end; progress.next++) {
        if (signal.aborted) break
        store.isPageIntact(progress.next)
        await endOfPiece()
      }
      const damaged = store.damagedPages
      if (progress.next > store.pageCount) {
        const at = now().getTime()
        progress = {
          startedAt: at,
          next: 1,
          verifiedAt: damaged.length > 0 ? progress.verifiedAt : at,
        }
      }
      await replaceFile(files, path, Buffer.from(JSON.stringify({ ...progress, damaged } satisfies Stored)))
    },
    state: () => ({
      verifiedAt: progress.verifiedAt === undefined ? undefined : new Date(progress.verifiedAt),
      damagedPages: store.damagedPages.length,
      share: Math.min(1, (progress.next - 1) / Math.max(1, store.pageCount)),
      endsAt: new Date(Math.min(progress.startedAt, now().getTime()) + roundMs),
    }),
  }
}

/** Undefined if there is no progress, or a damaged one: a new round begins. */
function decode(bytes: Uint8Array | undefined): Stored | undefined {
  try {
    const { startedAt, next, verifiedAt, damaged } = JSON.parse(Buffer.from(bytes ?? []).toString())
    const isWhole = [startedAt, next, verifiedAt ?? 0, ...damaged].every(Number.isSafeInteger) && next >= 1
    return isWhole ? { startedAt, next, verifiedAt, damaged } : undefined
  } catch {
    return undefined
  }
}
