/** The result of the last check of a backup, in its folder. */
import { basename, join } from 'node:path'
import { type Files, readJson, replaceJson } from '../../../store/files/files.ts'
import { storedTime } from '../../../util/time.ts'

export interface BackupProof {
  readonly checkedAt: Date
  /** When it was last proven restorable, which may be before the last check; undefined if never. */
  readonly provenAt: Date | undefined
  /** Why it cannot be restored, in words for people; undefined if it can. */
  readonly problem: string | undefined
  /** Media of records that it does not contain, although they were uploaded: they were lost before it was made, or with it. */
  readonly missing: MissingMedia | undefined
  /** Whether a server has acted on the media that are missing: a check of a command only states them. */
  readonly isActedOn?: boolean
}

export interface MissingMedia {
  readonly count: number
  /** The first ones, at most 100. */
  readonly cids: readonly string[]
}

export const proofName = 'proof'

/** Returns the proof of a backup; undefined if it was never checked. */
export async function readProof(files: Files, folder: string): Promise<BackupProof | undefined> {
  // A damaged sector must not hide the backup.
  const stored = await readJson<Stored>(files, join(folder, proofName)).catch(() => undefined)
  // That of another backup counts as none: the backup will be checked again.
  const checkedAt = stored?.of === basename(folder) ? storedTime(stored.checkedAt) : undefined
  return (
    stored &&
    checkedAt && {
      checkedAt,
      provenAt: storedTime(stored.provenAt),
      problem: stored.problem ? String(stored.problem) : undefined,
      missing: toMissing(stored.missing),
      ...(stored.isActedOn === true && { isActedOn: true }),
    }
  )
}

type Stored = { readonly [key in 'of' | keyof BackupProof]?: unknown }

/** Records the result of a check. @returns the proof as it was recorded */
export async function writeProof(
  files: Files,
  folder: string,
  { checkedAt, problem, missing, isActedOn }: Omit<BackupProof, 'provenAt'>,
): Promise<BackupProof> {
  const provenAt = problem === undefined ? checkedAt : (await readProof(files, folder))?.provenAt
  const proof = { checkedAt, provenAt, problem, missing, ...(isActedOn && { isActedOn }) }
  await replaceJson(files, join(folder, proofName), { of: basename(folder), ...proof })
  return proof
}

function toMissing(value: unknown): MissingMedia | undefined {
  const { count, cids } = (value ?? {}) as Partial<Record<keyof MissingMedia, unknown>>
  return typeof count === 'number' && Array.isArray(cids) ? { count, cids: cids.map(String) } : undefined
}
