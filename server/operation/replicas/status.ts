/** What is known about the copies, also for commands beside the server. */
import { dirname, join } from 'node:path'
import { type Files, readIfThere, replaceFile } from '../../platform/store/files.ts'
import { JournalGap, JournalTail } from '../../platform/store/journal/tail.ts'
import { copiesName } from '../../platform/store/layout.ts'
import { createSerializer } from '../../platform/util/serialize.ts'
import type { ProblemKind } from './places/place.ts'
import type { Proof } from './prove.ts'

export interface PlaceStatus {
  readonly url: string
  /** When the place had everything, at last; undefined if it never had. */
  readonly copiedAt: Date | undefined
  /** Number of transactions that cannot be restored from it. */
  readonly behind: number
  /** Age of the oldest change that the place does not have; 0 if it has everything. */
  readonly behindSeconds: number
  readonly problem:
    | { readonly kind: ProblemKind; readonly message: string; readonly since: Date | undefined }
    | undefined
  /** Number of the last transaction that it has. */
  readonly seq: number | undefined
  /** Bytes of a base that is being sent. */
  readonly progress: { readonly sent: number; readonly total: number } | undefined
  /** Media files that it lacks. */
  readonly missingMedia: number
  /** Media files that neither it nor this computer has. */
  readonly missingHere: number
  /** Changes at the place that the disk of this computer has lost: their number, and when the last one was made. */
  readonly lost: { readonly changes: number; readonly until: Date } | undefined
  /** Whether copies wait because the network is metered. */
  readonly isPaused: boolean
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
  let timer: NodeJS.Timeout | undefined

  async function write(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const replace = async () => {
      // A person may have removed the folder.
      await files.makeDir(dirname(path))
      await replaceFile(files, path, Buffer.from(`${JSON.stringify(status(), undefined, 2)}\n`))
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

/** What an earlier run of the server has left about a place. */
export interface EarlierStatus {
  readonly copiedAt: Date | undefined
  /** When the problem began that it had at the end. */
  readonly problemSince: Date | undefined
}

/** Reads what earlier runs have left, by the URL of the place: a laptop that starts every day must notice a problem of days. */
export async function readEarlierStatus(
  files: Files,
  dir: string,
): Promise<ReadonlyMap<string, EarlierStatus>> {
  const bytes = await readIfThere(files, join(dir, copiesName, statusName))
  const places = bytes ? parse(bytes) : []
  return new Map(
    places.map(({ url, copiedAt, problem }) => [
      url,
      {
        copiedAt: toDate(copiedAt),
        problemSince: toDate(problem?.since),
      },
    ]),
  )
}

function toDate(text: unknown): Date | undefined {
  const date = new Date(typeof text === 'string' ? text : Number.NaN)
  return Number.isNaN(date.getTime()) ? undefined : date
}

/** A file that is damaged says nothing: the next step writes it anew. */
function parse(bytes: Uint8Array): StoredStatus[] {
  try {
    const places: unknown = JSON.parse(Buffer.from(bytes).toString())
    return Array.isArray(places) ? places : []
  } catch {
    return []
  }
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

/** Reads what the server has left about its copies; without a running server, from what it has written. */
export async function currentStatus(files: Files, dir: string): Promise<ScriptStatus[]> {
  const path = join(dir, copiesName, statusName)
  const bytes = await readIfThere(files, path)
  if (!bytes) return []
  const places = parse(bytes)
  const writtenAt = await files.changedAt(path)
  const age = Math.max(0, Math.round((Date.now() - writtenAt.getTime()) / 1000))
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
