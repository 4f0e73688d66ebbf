/** Refuses the calls of a network for tests after its stop. */
import { createSerializer } from '../util/serialize.ts'

export interface Gate {
  readonly isOpen: boolean
  /** @throws after the stop */
  check(): void
  /** Makes a function throw after the stop. */
  guard<Args extends unknown[], Result>(work: (...args: Args) => Result): (...args: Args) => Result
  /** Runs work after that of earlier calls. Rejects after the stop. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>
  /** Runs the stop after the work that has begun, which would start servers again. */
  stop(work: () => Promise<void>): Promise<void>
}

export function createGate(): Gate {
  const serialize = createSerializer()
  let isOpen = true
  const check = () => {
    if (!isOpen) throw new Error('The network was stopped: start another one.')
  }
  return {
    get isOpen() {
      return isOpen
    },
    check,
    guard:
      (work) =>
      (...args) => {
        check()
        return work(...args)
      },
    inTurn: (work) =>
      serialize(async () => {
        check()
        return work()
      }),
    stop: (work) =>
      serialize(() => {
        isOpen = false
        return work()
      }),
  }
}
