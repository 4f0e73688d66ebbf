/** A thread that makes a thumbnail: decoding takes up to seconds of CPU, and memory that only the end of the thread returns. */
import { lowerThreadPriority } from '../../../util/thread-priority.ts'
import { serveJobs } from '../../../util/worker-or-inline.ts'
import { makeThumbnail } from './make.ts'

lowerThreadPriority()

serveJobs(makeThumbnail)
