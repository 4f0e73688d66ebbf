/** Subscriptions to sources that push: a message waits until the client has read the ones before it. */
import { XrpcError } from './xrpc-errors.ts'

/** Messages that wait; a source can push many at once. */
const maxWaiting = 2000

/**
 * Yields the items that a source pushes, until the signal aborts.
 * @param subscribe starts the source and returns a function that stops it
 * @throws ConsumerTooSlow when too much waits
 */
export async function* fromPush<T>(
  signal: AbortSignal,
  subscribe: (push: (item: T) => void) => () => void,
): AsyncGenerator<T, void, void> {
  const waiting: T[] = []
  let wake = () => {}
  const stop = subscribe((item) => {
    if (waiting.length <= maxWaiting) waiting.push(item)
    wake()
  })
  signal.addEventListener('abort', () => wake(), { once: true })
  try {
    while (!signal.aborted) {
      if (waiting.length > maxWaiting) throw tooSlow()
      if (waiting.length > 0) yield waiting.shift() as T
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  } finally {
    stop()
  }
}

export function tooSlow(): XrpcError {
  return new XrpcError('ConsumerTooSlow', 'The client reads too slowly. Connect again.')
}
