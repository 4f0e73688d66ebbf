/** Waits for what other processes do. */
import { setTimeout } from 'node:timers/promises'

/**
 * Calls `read` until it returns a value.
 * @param failure describes what did not happen within a minute
 */
export async function poll<T>(
  read: () => T | undefined | Promise<T | undefined>,
  failure: () => string,
  limitMs = 60_000,
): Promise<T> {
  const deadline = Date.now() + limitMs
  while (Date.now() < deadline) {
    const value = await read()
    if (value !== undefined) return value
    await setTimeout(20)
  }
  throw new Error(failure())
}
