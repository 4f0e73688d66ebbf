/** Waits for the server while it starts again, as after a change of its places. */
import { SessionEnded } from './client.ts'

const intervalMs = 500
const restartMs = 60_000

/**
 * Repeats a call until its answer is accepted. Failures meanwhile are those of a server that is not there.
 * @throws SessionEnded; the last failure after the limit, which is a minute
 */
export async function untilAnswer<T>(
  ask: () => Promise<T>,
  isDone: (answer: T) => boolean,
  limitMs = restartMs,
): Promise<T> {
  const end = performance.now() + limitMs
  for (;;) {
    try {
      const answer = await ask()
      if (isDone(answer) || performance.now() > end) return answer
    } catch (error) {
      if (error instanceof SessionEnded || performance.now() > end) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, intervalMs))
  }
}
