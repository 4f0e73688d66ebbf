/** How started parts are stopped. Node.js 22 lacks AsyncDisposableStack, which does the same. */

export interface Stops {
  /** Adds the stop of a part that was started. */
  defer(stop: () => unknown): void
  /** Runs all, from the last to the first, also when one fails. @throws the error, or an AggregateError of several */
  run(): Promise<void>
}

export function createStops(): Stops {
  const stops: (() => unknown)[] = []
  return {
    defer: (stop) => void stops.push(stop),
    async run() {
      const errors: unknown[] = []
      for (let stop = stops.pop(); stop; stop = stops.pop()) {
        try {
          await stop()
        } catch (error) {
          errors.push(error)
        }
      }
      if (errors.length > 1) throw new AggregateError(errors, 'Several parts could not be stopped')
      if (errors.length === 1) throw errors[0]
    },
  }
}
