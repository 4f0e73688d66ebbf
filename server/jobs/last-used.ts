/** Writes the last-used times of sessions and app passwords once a minute. */
import type { LastUsed } from '../auth/last-used.ts'
import type { Background } from './background.ts'

const everyMs = 60_000

/** @returns a function that stops the job */
export function startLastUsedJob({
  lastUsed,
  background,
}: {
  lastUsed: LastUsed
  background: Background
}): () => void {
  const timer = setInterval(
    () => background.run('writing last-used times', () => lastUsed.write()),
    everyMs,
  ).unref()
  return () => clearInterval(timer)
}
