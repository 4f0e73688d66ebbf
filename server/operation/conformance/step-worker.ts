/** The worker that `own-check.ts` starts: measures this server from outside. */
import { serveJobs } from '../../util/worker-or-inline.ts'
import { createSteps } from './steps.ts'

serveJobs(createSteps())
