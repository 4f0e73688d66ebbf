/** The worker that `prove.ts` starts: puts a copy together and verifies it. */
import { serveJobs } from '../../platform/util/worker-or-inline.ts'
import { lowerPriority } from './check-restore.ts'
import { runProveJob } from './prove.ts'

lowerPriority()
serveJobs(runProveJob)
