/** A clock that is moved, and what is to happen when it gets there. */
export interface Agenda {
  /** For the server: goes on by itself a millisecond each time it is read, so that no two events coincide. */
  readonly now: () => Date
  /** Moves the clock, also backwards. */
  setClock(at: number): void
  /** What is put in for the past happens next. */
  add(at: number, task: () => Promise<unknown>): void
  /** Does everything in the order of time, what is added meanwhile too, until `end`; what would come later never happens. */
  run(end: number): Promise<void>
}

export function createAgenda(): Agenda {
  let clock = Date.now()
  const entries: { at: number; task: () => Promise<unknown> }[] = []

  return {
    now: () => new Date(++clock),
    setClock(at) {
      clock = at
    },
    add(at, task) {
      // After all of the same time: what was put in first happens first.
      const next = entries.findIndex((entry) => entry.at > at)
      entries.splice(next < 0 ? entries.length : next, 0, { at, task })
    },
    async run(end) {
      for (let entry = entries.shift(); entry && entry.at <= end; entry = entries.shift()) {
        clock = Math.max(clock, entry.at)
        await entry.task()
      }
    },
  }
}
