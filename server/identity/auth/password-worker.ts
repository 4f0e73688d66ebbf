/** A thread that hashes passwords: bcrypt takes tens of milliseconds of CPU, which would block the event loop. */
import { lowerThreadPriority } from '../../platform/util/thread-priority.ts'
import { serveJobs } from '../../platform/util/worker-or-inline.ts'
import { bcryptSync } from './bcrypt.ts'

lowerThreadPriority()

serveJobs(bcryptSync)
