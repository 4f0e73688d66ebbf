/** Timers that libraries start, such as for the end of the handshake that closes a WebSocket. */
import type { Timer, Timers } from '../../../server/util/timers.ts'

type Callback = (...args: unknown[]) => void

/** Replaces the timers of the global object by those of a clock. @returns a function that puts those of the system back */
export function replaceGlobalTimers(clock: Timers): () => void {
  const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis
  const system = { setTimeout, clearTimeout, setInterval, clearInterval }
  Object.assign(globalThis, {
    setTimeout: (callback: Callback, ms = 0, ...args: unknown[]) =>
      clock.setTimeout(() => callback(...args), ms),
    setInterval: (callback: Callback, ms = 0, ...args: unknown[]) =>
      clock.setInterval(() => callback(...args), ms),
    clearTimeout: (timer: Timer) => clock.clearTimeout(timer),
    clearInterval: (timer: Timer) => clock.clearInterval(timer),
  })
  return () => void Object.assign(globalThis, system)
}
