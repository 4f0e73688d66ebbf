/** The worker that `runInWorker` starts: runs one task and posts its result. */
import { parentPort, workerData } from 'node:worker_threads'
import { nodeFiles } from './files.ts'
import { runTask, type Task } from './tasks.ts'

parentPort?.postMessage(await runTask(nodeFiles, workerData as Task))
