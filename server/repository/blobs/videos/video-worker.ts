/** A thread that makes a video streamable: the copy of a large one takes seconds. */
import { lowerThreadPriority } from '../../../util/thread-priority.ts'
import { serveJobs } from '../../../util/worker-or-inline.ts'
import { fragment } from './fragment.ts'

lowerThreadPriority()

serveJobs(fragment)
