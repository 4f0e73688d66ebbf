/** The status of the copies, also for commands beside the server. */

import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Files, nodeFiles, readJson, replaceJson } from '../../store/files/files.ts'
import { copiesName } from '../../store/files/layout.ts'
import { JournalGap, JournalTail } from '../../store/journal/tail.ts'
import { realTime } from '../../util/deadlines.ts'
import { createSerializer } from '../../util/serialize.ts'
import { iso, storedTime } from '../../util/time.ts'
import { clearTimeout, setTimeout, type Timer } from '../../util/timers.ts'
import { lastProven, listBackups, withoutFuture } from './local/list.ts'
import { backupFolder } from './local/target.ts'
import type { ProblemKind } from './places/place.ts'
import type { Proof } from './prove.ts'
import type { EarlierStatus, ReplicatorState } from './replicator-state.ts'
import type { Lost } from './timeline.ts'

export interface PlaceStatus
  extends Pick<
    ReplicatorState,
    'copiedAt' | 'seq' | 'progress' | 'missingMedia' | 'missingHere' | 'isPaused'
  > {
  readonly url: string
  /** Number of transactions that cannot be restored from it. */
  readonly behind: number
  /** Age of the oldest change that the place does not have; 0 if it has everything. */
  readonly behindSeconds: number
  readonly problem:
    | { readonly kind: ProblemKind; readonly message: string; readonly since: Date | undefined }
    | undefined
  readonly lost: Pick<Lost, 'changes' | 'until'> | undefined
  /** Whether the copy came back when it was last tried. */
  readonly proof: Proof | undefined
}

const statusName = 'status.json'

/** The state changes several times a second; commands read it after this time. */
const writeMs = 1000

export interface StatusFile {
  /** Writes the state soon. */
  changed(): void
  /** Writes the state now. */
  write(): Promise<void>
}

/** Leaves the state of the copies for commands. A failure is ignored: the next change writes it again. */
export function createStatusFile(
  files: Files,
  dir: string,
  status: () => readonly PlaceStatus[],
): StatusFile {
  const serialize = createSerializer()
  const path = join(dir, copiesName, statusName)
  let timer: Timer | undefined

  async function write(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const replace = async () => {
      // A person may have removed the folder.
      await files.makeDir(dirname(path))
      await replaceJson(files, path, status())
    }
    await serialize(replace).catch(() => {})
  }

  return {
    write,
    changed() {
      timer ??= setTimeout(() => void write(), writeMs).unref()
    },
  }
}

/** Reads what earlier runs have left, by the URL of the place: a laptop that starts every day must notice a problem of days. */
export async function readEarlierStatus(
  files: Files,
  dir: string,
): Promise<ReadonlyMap<string, EarlierStatus>> {
  const places = await readStored(files, join(dir, copiesName, statusName))
  return new Map(
    places.map(({ url, copiedAt, problem }) => [
      url,
      { copiedAt: storedTime(copiedAt), problemSince: storedTime(problem?.since) },
    ]),
  )
}

/** A file that is damaged says nothing: the next step writes it anew. */
async function readStored(files: Files, path: string): Promise<StoredStatus[]> {
  const places = await readJson(files, path)
  return Array.isArray(places) ? places : []
}

/** The state of the backups or of a place for scripts. Times are in ISO 8601. */
export interface ScriptStatus {
  readonly place: string
  readonly lastCopiedAt: string | null
  /** Null for the backups, which are not continuous. */
  readonly behindSeconds: number | null
  readonly lastProvenAt: string | null
  readonly error: string | null
}

/** Reads the status of the copies from the file that the server writes, also while it is stopped. */
export async function currentStatus(files: Files, dir: string): Promise<ScriptStatus[]> {
  const path = join(dir, copiesName, statusName)
  const places = await readStored(files, path)
  if (places.length === 0) return []
  const writtenAt = await files.changedAt(path)
  const age = Math.max(0, Math.round((realTime() - writtenAt.getTime()) / 1000))
  const isBehind = async (seconds: number, seq?: number) => seconds > 0 || (await hasMore(files, dir, seq))
  return Promise.all(
    places.map(async ({ url, copiedAt, behind, behindSeconds, problem, seq, proof }) => ({
      place: url,
      lastCopiedAt: copiedAt ?? null,
      behindSeconds:
        behind > 0 || (await isBehind(behindSeconds, seq)) ? Math.max(1, behindSeconds + age) : 0,
      lastProvenAt: proof?.provenAt ?? null,
      error: problem?.message ?? proof?.problem ?? null,
    })),
  )
}

/** Returns the state of the backups for scripts. */
export async function backupStatus(dir: string, now: Date, files: Files = nodeFiles): Promise<ScriptStatus> {
  const backups = withoutFuture(await listBackups(dir, files), now)
  const complete = backups.find(({ isPartial }) => !isPartial)
  const proven = lastProven(backups, now)
  return {
    place: pathToFileURL(backupFolder(dir)).href,
    lastCopiedAt: complete ? iso(complete.at) : null,
    behindSeconds: null,
    lastProvenAt: proven ? iso(proven) : null,
    error: backups[0]?.proof?.problem ?? null,
  }
}

type StoredStatus = Omit<PlaceStatus, 'copiedAt'> & { readonly copiedAt?: string }

/** Whether the journals have transactions after `seq`. */
async function hasMore(files: Files, dir: string, seq = 0): Promise<boolean> {
  try {
    return (await new JournalTail(files, dir, seq).read(Number.MAX_SAFE_INTEGER, 1)) !== undefined
  } catch (error) {
    if (error instanceof JournalGap) return true
    throw error
  }
}
