/** The worker that `runFileJob` starts. */
import { constants, setPriority } from 'node:os'
import { nodeFiles } from '../../store/files/files.ts'
import { serveJobs } from '../../util/worker-or-inline.ts'
import { type FileJob, runOn } from './file-jobs.ts'

// All other threads go first. Only Linux has priorities of threads; elsewhere this would slow the whole program.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW)
serveJobs((job: FileJob) => runOn(nodeFiles, job))
