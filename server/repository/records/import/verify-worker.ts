/** The worker that `verifyInWorker` starts: verifies one archive. */
import { nodeFiles } from '../../../store/files/files.ts'
import { serveJobs } from '../../../util/worker-or-inline.ts'
import { type VerifyJob, verifyArchive } from './verify.ts'

serveJobs((job: VerifyJob) => verifyArchive(nodeFiles, job))
