/** Background work in pieces of a few milliseconds, one per turn of the event loop, so that requests come in between. */
import { realElapsed } from './deadlines.ts'
import { createSerializer } from './serialize.ts'
import { yieldToEventLoop } from './timers.ts'

/** Milliseconds of a piece of long work. */
export const pieceMs = 5

const serialize = createSerializer()

/** Runs a piece of work when all earlier ones have ended, in another turn of the event loop. */
export function inTurn<T>(work: () => T | Promise<T>): Promise<T> {
  return serialize(async () => {
    await yieldToEventLoop()
    return work()
  })
}

/** Resolves in a turn of the event loop in which no other piece of work runs. */
export function nextTurn(): Promise<void> {
  return inTurn(() => {})
}

/** Returns a function to await after each step of long work, whose first piece begins now: it divides the work into pieces. */
export function createPace(): () => Promise<void> {
  let end = realElapsed() + pieceMs
  return async () => {
    if (realElapsed() < end) return
    await nextTurn()
    end = realElapsed() + pieceMs
  }
}
