/** Ends a run of which a step hangs. */

const hangMs = 120_000

export interface HangWatch {
  /** Rejects when a step takes too long. */
  readonly promise: Promise<never>
  /** Returns the same function, whose calls begin a step. */
  watch<T>(begin: () => T): () => T
  end(): void
}

export function watchForHang(): HangWatch {
  const { promise, reject } = Promise.withResolvers<never>()
  let timer: NodeJS.Timeout | undefined
  const end = () => clearTimeout(timer)
  return {
    ...{ promise, end },
    watch: (begin) => () => {
      end()
      const error = new Error(`The last step has not ended after ${hangMs / 60_000} minutes.`)
      timer = setTimeout(() => reject(error), hangMs)
      return begin()
    },
  }
}
