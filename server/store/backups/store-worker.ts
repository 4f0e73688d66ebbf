/** The worker that `runInWorker` starts: runs one task and posts its result. */
import { serveJobs } from '../../util/worker-or-inline.ts'
import { nodeFiles } from '../files/files.ts'
import { runTask, type Task } from './tasks.ts'

serveJobs((task: Task) => runTask(nodeFiles, task))
