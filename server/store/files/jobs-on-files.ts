/** Jobs that read and write files. Worker threads open the real files themselves; other files, as in memory, are in one thread only. */
import type { WorkerOptions } from '../../util/worker-or-inline.ts'
import { type Files, nodeFiles } from './files.ts'

/** Returns how a job runs on the main thread: only if there can be no thread, and always if a thread cannot open the files. */
export function onFiles<Job, Result>(
  files: Files,
  work: (files: Files, job: Job) => Result | Promise<Result>,
): Required<Pick<WorkerOptions<Job, Result>, 'inline' | 'isInline'>> {
  return { inline: (job) => work(files, job), isInline: files !== nodeFiles }
}
