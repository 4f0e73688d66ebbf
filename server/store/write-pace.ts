/**
 * Decides which journal writes block the thread.
 *
 * A blocking write takes about two thirds of the time of one in the thread pool (0.25 against 0.37 ms where this was
 * measured), but the server answers no other request meanwhile. So only a client that writes alone gets it, on a disk that has
 * been fast; concurrent writes gain more from sharing a sync.
 */

/** A slower write than this pauses blocking writes, in milliseconds. */
const slow = 3
const firstPause = 30_000
const longestPause = 60 * 60_000
/** Consecutive pool writes that must be fast and unshared before writes may block. */
const calm = 16
/** After so many blocking writes one goes through the pool, to see whether others arrive meanwhile. */
const blockingInARow = 32

export class WritePace {
  #calmWrites = 0
  #blockingWrites = 0
  #pauseUntil = 0
  #pause = firstPause

  /** @param now in milliseconds, from a clock that never goes back */
  mayBlock(now: number): boolean {
    return this.#calmWrites >= calm && this.#blockingWrites < blockingInARow && now >= this.#pauseUntil
  }

  /** Notes a write through the thread pool. @param isShared whether another transaction arrived meanwhile */
  pooled(took: number, isShared: boolean): void {
    this.#blockingWrites = 0
    this.#calmWrites = took > slow || isShared ? 0 : this.#calmWrites + 1
  }

  /** Notes a blocking write that ended at `now`. A disk that is slow now and then blocks ever more rarely. */
  blocking(took: number, now: number): void {
    this.#blockingWrites++
    if (took <= slow) return
    this.#calmWrites = 0
    this.#pauseUntil = now + this.#pause
    this.#pause = Math.min(2 * this.#pause, longestPause)
  }
}
