/** A thread that hashes passwords: bcrypt takes tens of milliseconds of CPU, which would block the event loop. */
import { setPriority } from 'node:os'
import { serveJobs } from '../../platform/util/worker-or-inline.ts'
import { bcryptSync } from './bcrypt.ts'

/** Nice value of the thread: requests go first, but sign-ins do not starve on a busy machine. */
const niceness = 5

lowerPriority()

serveJobs(bcryptSync)

/** Only Linux has a priority per thread; elsewhere this would slow the whole process down. */
function lowerPriority(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(niceness)
  } catch {
    // Not permitted here: the thread then competes with requests on equal terms.
  }
}
