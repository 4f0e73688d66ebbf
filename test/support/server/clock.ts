/** A clock for tests. Each reading advances it by a millisecond, so that no two events have the same time. */
export class TestClock {
  #at = Date.parse('2030-01-01T00:00:00.000Z')

  readonly now = (): Date => {
    this.#at += 1
    return new Date(this.#at)
  }

  advance(ms: number): void {
    this.#at += ms
  }
}

/** Clock of parts that are tested without the server. */
export const plausibleClock = { isPlausible: () => true }

export const second = 1000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour
