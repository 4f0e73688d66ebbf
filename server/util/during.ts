/** Work beside work that may take long. */
import { clearDeadline, setDeadline } from './deadlines.ts'

/**
 * Returns the result of work that may take long, and calls `task` every `ms` until it has ended. An error of the task is thrown at once;
 * the work then goes on alone.
 */
export async function during<T>(work: Promise<T>, ms: number, task: () => Promise<void>): Promise<T> {
  const ended = work.then(
    () => true,
    () => true,
  )
  while (!(await isSettledWithin(ended, ms))) await task()
  return work
}

function isSettledWithin(ended: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setDeadline(() => resolve(false), ms)
    void ended.then(() => {
      clearDeadline(timer)
      resolve(true)
    })
  })
}
