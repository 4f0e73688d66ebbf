/** The result of the last check of a backup, in its folder. */
import { basename, join } from 'node:path'
import { type Files, readIfThere, replaceFile } from '../../../platform/store/files.ts'

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
  const bytes = await readIfThere(files, join(folder, proofName)).catch(() => undefined)
  return bytes && parseProof(Buffer.from(bytes).toString(), basename(folder))
}

/** Records the result of a check. @returns the proof as it was recorded */
export async function writeProof(
  files: Files,
  folder: string,
  { checkedAt, problem, missing, isActedOn }: Omit<BackupProof, 'provenAt'>,
): Promise<BackupProof> {
  const provenAt = problem === undefined ? checkedAt : (await readProof(files, folder))?.provenAt
  const proof = { checkedAt, provenAt, problem, missing, ...(isActedOn && { isActedOn }) }
  const text = JSON.stringify({ of: basename(folder), ...proof })
  await replaceFile(files, join(folder, proofName), Buffer.from(`${text}\n`))
  return proof
}

/** A file that is damaged, or of another backup, counts as none: the backup will be checked again. */
function parseProof(text: string, backup: string): BackupProof | undefined {
  try {
    const { of, checkedAt, provenAt, problem, missing, isActedOn } = JSON.parse(text)
    const checked = of === backup ? toDate(checkedAt) : undefined
    return (
      checked && {
        checkedAt: checked,
        provenAt: toDate(provenAt),
        problem: problem && String(problem),
        missing: toMissing(missing),
        ...(isActedOn === true && { isActedOn }),
      }
    )
  } catch {
    return undefined
  }
}

function toMissing(value: unknown): MissingMedia | undefined {
  const { count, cids } = (value ?? {}) as Partial<Record<keyof MissingMedia, unknown>>
  return typeof count === 'number' && Array.isArray(cids) ? { count, cids: cids.map(String) } : undefined
}

function toDate(value: unknown): Date | undefined {
  const date = new Date(typeof value === 'string' ? value : Number.NaN)
  return Number.isNaN(date.getTime()) ? undefined : date
}
