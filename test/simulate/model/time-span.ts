/** Times that are known within bounds: a call began at one and ended at the other. */

export interface Span {
  readonly from: number
  readonly to: number
  /** By how much the clock was ahead, in milliseconds; 0 by default. */
  readonly skewMs?: number
  /** Whether the server may doubt its clock: then nothing expires. */
  readonly isDoubtful?: boolean
}

/** A clock of a computer. */
interface Clock {
  readonly now: () => Date
  readonly skewMs: number
  readonly wasSet: boolean
}

/** Makes a call. @returns the answer, and when the server gave it, by its clock */
export async function timed<Answer extends object>(
  clock: Clock,
  call: () => Promise<Answer>,
): Promise<Answer & { readonly at: Span }> {
  const { skewMs, wasSet: isDoubtful } = clock
  const from = clock.now().getTime()
  const answer = await call()
  return { ...answer, at: { from, to: clock.now().getTime(), skewMs, isDoubtful } }
}

/** What must be true: `maybe` if the answer of a call was lost, or if a limit fell into a call. */
export type Truth = 'yes' | 'no' | 'maybe'

/** Tokens have times in whole seconds. */
const roundingMs = 2000

/** Whether a time that began in a span and lasts for `ms` goes on during another span. Unknown if the clock was changed in between. */
export function lasts(begun: Span, ms: number, during: Span): Truth {
  if ((begun.skewMs ?? 0) !== (during.skewMs ?? 0)) return 'maybe'
  if (during.to < begun.from + ms - roundingMs) return 'yes'
  return during.from >= begun.to + ms + roundingMs && !during.isDoubtful ? 'no' : 'maybe'
}

/** Returns whether all are true. */
export function all(...truths: readonly Truth[]): Truth {
  if (truths.includes('no')) return 'no'
  return truths.includes('maybe') ? 'maybe' : 'yes'
}
