/**
 * Decides which journal writes block the thread.
 *
 * A blocking write takes about two thirds of the time of one in the thread pool (0.25 against 0.37 ms where this was
 * measured), but the server answers no other request meanwhile. So only a client that writes alone gets it, on a disk that has
 * been fast; concurrent writes gain more from sharing a sync.
 */

/** After a write that takes longer, calm ones must follow before writes may block. */
const slowMs = 3
/** A blocking write that takes longer pauses blocking writes: other requests have noticed it. */
const stallMs = 20
const firstPauseMs = 30_000
const longestPauseMs = 60 * 60_000
/** Consecutive pool writes that must be fast and unshared before writes may block. */
const minCalmWrites = 16
/** After this many blocking writes one goes through the pool, to detect transactions that arrive meanwhile. */
const maxBlockingInARow = 32

export class WritePace {
  #calmWrites = 0
  #blockingWrites = 0
  #pauseUntil = 0
  #pauseMs = firstPauseMs

  /** Whether the next write may block the thread. @param now in milliseconds, from a clock that never goes back */
  mayBlock(now: number): boolean {
    return (
      this.#calmWrites >= minCalmWrites && this.#blockingWrites < maxBlockingInARow && now >= this.#pauseUntil
    )
  }

  /** Notes a write through the thread pool. @param isShared whether another transaction arrived meanwhile */
  pooled(tookMs: number, isShared: boolean): void {
    this.#blockingWrites = 0
    this.#calmWrites = tookMs > slowMs || isShared ? 0 : this.#calmWrites + 1
  }

  /** Notes a blocking write that ended at `now`. Each stall doubles the pause before writes may block again. */
  blocking(tookMs: number, now: number): void {
    this.#blockingWrites++
    if (tookMs <= slowMs) return
    this.#calmWrites = 0
    if (tookMs <= stallMs) return
    this.#pauseUntil = now + this.#pauseMs
    this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs)
  }
}
