/** The files that an account has uploaded, and what keeps them on its server. */
import type { Person } from './person.ts'

export interface Upload {
  readonly cid: string
  /** As records refer to it. */
  readonly ref: object
  readonly bytes: Buffer
  /** When it was uploaded last, in milliseconds. */
  readonly at: number
  /** Whether no request has referred to it since. */
  isUnused: boolean
}

/** An upload is kept for this long without a reference. */
const keptMs = 24 * 60 * 60_000

/** Yields the CIDs of the files to which a record refers. */
export function* filesIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  const { $type, ref } = value as { $type?: string; ref?: { $link: string } }
  if ($type === 'blob' && ref) yield ref.$link
  else for (const member of Object.values(value)) yield* filesIn(member)
}

/** Whether the server surely has a file: it is a new upload, or a record that surely exists refers to it. */
export function hasFile({ uploads, records, history }: Person, cid: string, now: number): boolean {
  const upload = uploads.get(cid)
  if (upload?.isUnused && now - upload.at < keptMs) return true
  return [...records].some(
    ([path, stored]) => [...filesIn(stored.value)].includes(cid) && history.possible(path).size === 1,
  )
}
