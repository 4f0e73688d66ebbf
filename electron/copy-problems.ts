/** Problems of copies that need the person. */
import type { PlaceStatus } from '../server/operation/replicas/status.ts'

export type CopyNotice = 'elsewhere' | 'late'

/** A disk that is connected in the evening is no problem yet. */
const lateMs = 24 * 60 * 60_000

/** @param now in milliseconds */
export function noticeOf(
  places: readonly Pick<PlaceStatus, 'problem'>[],
  now: number,
): CopyNotice | undefined {
  const problems = places.flatMap(({ problem }) => problem ?? [])
  if (problems.some(({ kind }) => kind === 'elsewhere')) return 'elsewhere'
  return problems.some(({ since }) => since && now - since.getTime() >= lateMs) ? 'late' : undefined
}
