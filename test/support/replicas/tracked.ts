/** What the rules need to remember about a computer. */
import type { FaultyDisk } from '../store/faulty-disk.ts'

/** What the place may have lost without a trace that the computer has read: objects, or the content of objects of the same size. */
export type Doubt = 'none' | 'listing' | 'content'
const doubts: readonly Doubt[] = ['none', 'listing', 'content']

export interface Tracked {
  doubt: Doubt
  isMediaInDoubt: boolean
  /** Since when this computer is the one that runs, in steps. */
  tookOverAt: number
  lastRanAt: number
  /** Readings of the place without faults since another computer began to run. */
  readings: number
  isRefused: boolean
  wasClockWrong: boolean
  isJournalDamaged: boolean
  isPageDamaged: boolean
  /** Whether its disk says that the place had the copy. */
  hasCopied: boolean
  snapshot: (Pick<Tracked, 'hasCopied' | 'tookOverAt'> & { readonly disk: FaultyDisk }) | undefined
}

export function newTracked(step: number): Tracked {
  return {
    ...{ doubt: 'none', isMediaInDoubt: false, tookOverAt: step, lastRanAt: 0, readings: 0 },
    ...{ isRefused: false, wasClockWrong: false, isJournalDamaged: false, isPageDamaged: false },
    ...{ hasCopied: false, snapshot: undefined },
  }
}

/** Increases the doubt of a computer; never decreases it. */
export function raiseDoubt(tracked: Tracked, doubt: Doubt, isMediaInDoubt: boolean): void {
  if (doubts.indexOf(doubt) > doubts.indexOf(tracked.doubt)) tracked.doubt = doubt
  tracked.isMediaInDoubt ||= isMediaInDoubt
}
