/** The state of the copies outside this computer in one word. */
import type { com } from '../../../lexicons/generated/index.ts'

type Copies = com.core.admin.getCopies.$OutputBody
type CopyPlace = com.core.admin.getCopies.Place

/**
 * - `none`: no place was added. `first`: the first copy is being made.
 * - `current`: a place has everything. `copied`: it lacks changes of less than a week. `old`: of more than a week.
 * - `failing`: no place has a copy that can be restored. `elsewhere`: another computer continues the server.
 */
type CopyState = 'none' | 'first' | 'current' | 'copied' | 'old' | 'failing' | 'elsewhere'

export interface CopySummary {
  readonly state: CopyState
  /** The place with the newest copy that can be restored, if any. */
  readonly place?: CopyPlace | undefined
}

/** A copy is too old from this age on. */
const oldMs = 7 * 24 * 60 * 60_000

/** @param now in milliseconds */
export function copySummary({ places, elsewhere }: Copies, now: number): CopySummary {
  if (elsewhere || places.some(({ problem }) => problem?.kind === 'elsewhere')) return { state: 'elsewhere' }
  if (places.length === 0) return { state: 'none' }
  const [place] = places
    .filter(({ lastCopiedAt, proofProblem }) => lastCopiedAt !== undefined && proofProblem === undefined)
    .toSorted((a, b) => timeOf(b) - timeOf(a))
  if (!place) return { state: places.some(isFailing) ? 'failing' : 'first' }
  if (place.behindSeconds === 0 && !isFailing(place)) return { state: 'current', place }
  return { state: ageOf(place, now) > oldMs ? 'old' : 'copied', place }
}

function isFailing({ problem, proofProblem }: CopyPlace): boolean {
  return problem !== undefined || proofProblem !== undefined
}

function timeOf({ lastCopiedAt }: CopyPlace): number {
  return Date.parse(lastCopiedAt ?? '')
}

/** In milliseconds. The server counts by its own clock; a place without new changes is only as old as its problem. */
function ageOf(place: CopyPlace, now: number): number {
  return Math.max(place.behindSeconds * 1000, place.problem ? now - timeOf(place) : 0)
}
