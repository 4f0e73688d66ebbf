/** A thread that makes a thumbnail: decoding takes up to seconds of CPU, and memory that only the end of the thread returns. */
import { lowerThreadPriority } from '../../../platform/util/thread-priority.ts'
import { serveJobs } from '../../../platform/util/worker-or-inline.ts'
import { makeThumbnail } from './make.ts'

lowerThreadPriority()

serveJobs(makeThumbnail)
