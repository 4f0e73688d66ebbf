/** A thread that makes a video streamable: the copy of a large one takes seconds. */
import { nodeFiles } from '../../../store/files/files.ts'
import { lowerThreadPriority } from '../../../util/thread-priority.ts'
import { serveJobs } from '../../../util/worker-or-inline.ts'
import { type FragmentJob, fragment } from './fragment.ts'

lowerThreadPriority()

serveJobs((job: FragmentJob) => fragment(nodeFiles, job))
