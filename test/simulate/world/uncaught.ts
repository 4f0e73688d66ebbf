/** Errors that no code of a server catches: they would end its process. */
import { Violation } from '../acts/act.ts'
import { currentProcess } from './wire.ts'

export interface Uncaught {
  /** The first error with its server; undefined if there was none. */
  readonly violation: Violation | undefined
  end(): void
}

/** Notes uncaught errors of the processes that run, instead of ending this one. */
export function watchUncaught(): Uncaught {
  let violation: Violation | undefined
  function note(error: unknown): void {
    const server = currentProcess.getStore()
    if (server?.isDead) return
    const words = error instanceof Error ? error.stack : String(error)
    violation ??= new Violation(`${server?.node ?? 'a server'}: uncaught ${words}`)
  }
  process.on('uncaughtException', note).on('unhandledRejection', note)
  return {
    get violation() {
      return violation
    },
    end: () => void process.off('uncaughtException', note).off('unhandledRejection', note),
  }
}
