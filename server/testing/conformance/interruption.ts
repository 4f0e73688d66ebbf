/** Ends a measurement early: at Ctrl-C, when the process is asked to end, and when its output cannot be written. */

export interface Interruption {
  readonly signal: AbortSignal
  /** Waits until the output is written. @returns whether it could be; true for a pipe that its reader has closed */
  isWritten(): Promise<boolean>
  /** Stops listening. */
  end(): void
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** @param warn prints a line */
export function watchInterruption(warn: (text: string) => void): Interruption {
  const controller = new AbortController()
  let [isLost, isClosed] = [false, false]
  const interrupt = () => {
    // The next signal ends the process.
    ignoreSignals()
    warn('Interrupted: deleting what was written. Press Ctrl-C again to end at once.')
    controller.abort()
  }
  const ignoreSignals = () => {
    for (const name of signals) process.removeListener(name, interrupt)
  }
  for (const name of signals) process.on(name, interrupt)
  const onError = ({ code, message }: NodeJS.ErrnoException) => {
    isClosed = true
    // The reader of a pipe, such as "head", wants no more.
    if (code !== 'EPIPE' && !isLost) {
      isLost = true
      warn(`The report cannot be written: ${message}.`)
    }
    controller.abort()
  }
  process.stdout.on('error', onError)
  const isWritten = async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    process.stdout.write('', () => process.nextTick(resolve))
    await promise
    return !isLost
  }
  const end = () => {
    ignoreSignals()
    // Each further write to a closed output emits an error, too.
    if (!isClosed) process.stdout.removeListener('error', onError)
  }
  return { signal: controller.signal, isWritten, end }
}
