/** A simulated clock and the tasks scheduled on it. */
export interface Agenda {
  /** The server's clock. Advances by a millisecond per call, so that no two events have the same time. */
  readonly now: () => Date
  /** Sets the clock, also backwards. */
  setClock(at: number): void
  /** Schedules a task. One in the past runs next. */
  add(at: number, task: () => Promise<unknown>): void
  /** Runs all tasks until `end` in the order of their times, including tasks added meanwhile. Later tasks never run. */
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
      // Tasks of the same time run in the order in which they were added.
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
