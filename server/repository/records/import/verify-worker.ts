/** The worker that `verifyInWorker` starts: verifies one archive. */
import { serveJobs } from '../../../util/worker-or-inline.ts'
import { verifyArchive } from './verify.ts'

serveJobs(verifyArchive)
