/** Threads that hash passwords, one a core. Each starts with the first job it is needed for and ends when it has been idle. */
import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { createFairQueue } from './fair-queue.ts'
import type { HashJob, HashResult } from './password-worker.ts'

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
  /** Jobs that may wait, besides those at work. */
  readonly maxWaiting?: number
  /** Milliseconds after which an idle thread ends. */
  readonly idleMs?: number
}

interface Task extends PromiseWithResolvers<string> {
  readonly job: HashJob
}

interface Thread {
  readonly worker: Worker
  task: Task | undefined
  idleTimer: NodeJS.Timeout | undefined
}

const maxThreads = 4

export function createHashPool({
  threads: limit = Math.min(maxThreads, availableParallelism()),
  maxWaiting = 100,
  idleMs = 30_000,
}: HashPoolOptions = {}): HashPool {
  const queue = createFairQueue<Task>(maxWaiting)
  const threads = new Set<Thread>()
  /** The most recently used last: it is used first, so that the others can end. */
  const idle: Thread[] = []
  let isClosed = false

  function startThread(): Thread {
    // The extension is .ts where Node itself strips the types, .js once compiled.
    // Flags of the process are not passed on: some, like --input-type, would stop the thread.
    const file = new URL(`./password-worker${extname(import.meta.url)}`, import.meta.url)
    const worker = new Worker(file, { name: 'passwords', execArgv: [] })
    const thread: Thread = { worker, task: undefined, idleTimer: undefined }
    worker.on('message', (result: HashResult) => finish(thread, result))
    worker.on('error', (cause) => remove(thread, new Error('The password thread failed.', { cause })))
    worker.on('exit', () => remove(thread, new Error('The password thread has ended.')))
    threads.add(thread)
    return thread
  }

  function run(thread: Thread, task: Task): void {
    clearTimeout(thread.idleTimer)
    thread.task = task
    // A thread at work keeps the process alive, an idle one does not.
    thread.worker.ref()
    thread.worker.postMessage(task.job)
  }

  function finish(thread: Thread, result: HashResult): void {
    const { task } = thread
    thread.task = undefined
    const next = queue.shift()
    if (next) run(thread, next)
    else rest(thread)
    if ('hash' in result) task?.resolve(result.hash)
    else task?.reject(result.error)
  }

  function rest(thread: Thread): void {
    thread.worker.unref()
    thread.idleTimer = setTimeout(() => end(thread), idleMs).unref()
    idle.push(thread)
  }

  /** Ends an idle thread. It leaves the pool at once: a job that it got before its exit would fail. */
  function end(thread: Thread): void {
    idle.splice(idle.indexOf(thread), 1)
    threads.delete(thread)
    void thread.worker.terminate()
  }

  /** 'exit' follows 'error': the second call finds the thread removed. */
  function remove(thread: Thread, reason: Error): void {
    if (!threads.delete(thread)) return
    clearTimeout(thread.idleTimer)
    const place = idle.indexOf(thread)
    if (place >= 0) idle.splice(place, 1)
    thread.task?.reject(reason)
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
      await Promise.all([...threads].map(({ worker }) => worker.terminate()))
    },
  }
}
