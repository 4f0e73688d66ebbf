/** A thread that hashes passwords: bcrypt takes tens of milliseconds of CPU, which would block the event loop. */
import { lowerThreadPriority } from '../../util/thread-priority.ts'
import { serveJobs } from '../../util/worker-or-inline.ts'
import { bcryptSync } from './bcrypt.ts'

lowerThreadPriority()

serveJobs(bcryptSync)
