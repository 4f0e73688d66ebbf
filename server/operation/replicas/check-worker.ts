/** The worker that `createBackupProofs` starts: checks one backup. */
import { nodeFiles } from '../../platform/store/files.ts'
import { serveJobs } from '../../platform/util/worker-or-inline.ts'
import { type CheckJob, checkRestore, lowerPriority } from './check-restore.ts'

lowerPriority()
serveJobs((job: CheckJob) => checkRestore(nodeFiles, job))
