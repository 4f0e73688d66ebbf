/** The thread of `sealer.ts`. */
import { serveJobs } from '../../platform/util/worker-or-inline.ts'
import { runSealJob } from './sealer.ts'

serveJobs(runSealJob)
