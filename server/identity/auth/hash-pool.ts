/** Threads that hash passwords, one per core. Each starts with the first job it is needed for and ends when it has been idle. */
import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { clearDeadline, setDeadline } from '../../util/deadlines.ts'
import { createFairQueue } from '../../util/fair-queue.ts'
import type { Timer } from '../../util/timers.ts'
import { type JobRunner, startWorker, type WorkerOptions } from '../../util/worker-or-inline.ts'
import { bcryptYielding, type HashJob } from './bcrypt.ts'

/** Too many passwords wait to be hashed; the caller should try again in a few seconds. */
export class PasswordQueueFull extends Error {
  override readonly name = 'PasswordQueueFull'
}

export interface HashPool {
  /**
   * Resolves with the bcrypt hash. Jobs of one source run in order, and sources take turns.
   * @throws PasswordQueueFull
   */
  hash(job: HashJob, source: string): Promise<string>
  /** Ends the threads and rejects all jobs, waiting and later ones. */
  close(): Promise<void>
}

export interface HashPoolOptions {
  readonly threads?: number
  /** Jobs that may wait, besides the running ones. */
  readonly maxWaiting?: number
  /** Milliseconds after which an idle thread ends. */
  readonly idleMs?: number
  /** Called if there can be no thread: passwords are then hashed on the main thread. */
  readonly onUnloadable?: (error: Error) => void
  /** Hashes on the main thread. */
  readonly isInline?: boolean | undefined
}

interface Task extends PromiseWithResolvers<string> {
  readonly job: HashJob
}

interface Thread {
  readonly worker: JobRunner<HashJob, string>
  idleTimer: Timer | undefined
}

const maxThreads = 4

export function createHashPool({
  threads: limit = Math.min(maxThreads, availableParallelism()),
  maxWaiting = 100,
  idleMs = 30_000,
  onUnloadable = () => {},
  isInline,
}: HashPoolOptions = {}): HashPool {
  const queue = createFairQueue<Task>(maxWaiting)
  const threads = new Set<Thread>()
  /** The most recently used last: it is used first, so that the others can end. */
  const idle: Thread[] = []
  let isClosed = false

  function startThread(): Thread {
    const worker = startPasswordWorker({ isInline, onUnloadable, onEnd: () => remove(thread) })
    const thread: Thread = { worker, idleTimer: undefined }
    threads.add(thread)
    return thread
  }

  function run(thread: Thread, task: Task): void {
    clearDeadline(thread.idleTimer)
    // A thread at work keeps the process alive, an idle one does not.
    thread.worker.ref()
    thread.worker
      .run(task.job)
      .finally(() => finish(thread))
      .then(task.resolve, task.reject)
  }

  function finish(thread: Thread): void {
    // The thread ended during the job.
    if (!threads.has(thread)) return
    const next = queue.shift()
    if (next) run(thread, next)
    else rest(thread)
  }

  function rest(thread: Thread): void {
    thread.worker.unref()
    thread.idleTimer = setDeadline(() => {
      // Removed first: it takes a moment to end, and must not get a job meanwhile.
      remove(thread)
      void thread.worker.end()
    }, idleMs).unref()
    idle.push(thread)
  }

  function remove(thread: Thread): void {
    if (!threads.delete(thread)) return
    clearDeadline(thread.idleTimer)
    const place = idle.indexOf(thread)
    if (place >= 0) idle.splice(place, 1)
    const next = isClosed ? undefined : queue.shift()
    if (next) run(startThread(), next)
  }

  return {
    hash(job, source) {
      if (isClosed) return Promise.reject(new Error('The password hasher is closed.'))
      const task: Task = { job, ...Promise.withResolvers<string>() }
      const thread = idle.pop() ?? (threads.size < limit ? startThread() : undefined)
      if (thread) run(thread, task)
      else queue.push(source, task)?.reject(new PasswordQueueFull('Too many passwords are being checked.'))
      return task.promise
    },

    async close() {
      isClosed = true
      for (const task of queue.clear()) task.reject(new Error('The password hasher is closed.'))
      await Promise.all([...threads].map(({ worker }) => worker.end()))
    },
  }
}

function startPasswordWorker(
  options: Pick<WorkerOptions<HashJob, string>, 'isInline' | 'onUnloadable' | 'onEnd'>,
): JobRunner<HashJob, string> {
  // The extension is .ts where Node itself strips the types, .js once compiled.
  const file = new URL(`./password-worker${extname(import.meta.url)}`, import.meta.url)
  return startWorker({ file, name: 'password', inline: bcryptYielding, ...options })
}
