/** The priority of worker threads. */
import { setPriority } from 'node:os'

/** Nice value of a thread: requests go first, but its jobs do not starve on a busy machine. */
const niceness = 5

/** Lowers the priority of the calling thread. Only Linux has one per thread; elsewhere this would slow the whole process down. */
export function lowerThreadPriority(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(niceness)
  } catch {
    // Not permitted here: the thread then competes with requests on equal terms.
  }
}
