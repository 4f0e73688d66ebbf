/** The thread of `sealer.ts`. */
import { serveJobs } from '../../util/worker-or-inline.ts'
import { runSealJob } from './sealer.ts'

serveJobs(runSealJob)
