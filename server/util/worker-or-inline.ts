/**
 * Worker threads that run one job at a time. If the file of a worker cannot be loaded (a packed program may not find it), its jobs
 * run on the main thread instead: slower, but the server works. A file that was loaded before lacks something for a moment only,
 * such as memory or free file descriptors: its jobs are refused then.
 */
import { parentPort, Worker } from 'node:worker_threads'
import { realElapsed } from './deadlines.ts'
import { fromPlainError, type PlainError, toPlainError } from './thread-error.ts'

export interface JobRunner<Job, Result> {
  /** Runs a job; the previous one must have ended. Rejects if the job fails or if the thread ends. */
  run(job: Job): Promise<Result>
  /** Bytes that the thread has allocated: its heap, buffers and WebAssembly memories. Undefined without a thread. */
  memory(): Promise<number | undefined>
  /** Milliseconds of CPU that the thread has had. Undefined without a thread. */
  cpuMs(): Promise<number | undefined>
  /** An unreferenced thread does not keep the process alive. */
  ref(): void
  unref(): void
  end(): Promise<void>
}

export interface WorkerOptions<Job, Result> {
  /** Must call `serveJobs`. */
  readonly file: URL
  /** Shown in debuggers and in the message of `onUnloadable`. */
  readonly name: string
  /** Runs a job on the main thread. */
  readonly inline: (job: Job) => Result | Promise<Result>
  /** Runs all jobs on the main thread: they need what a thread does not have, or a simulation runs the server. */
  readonly isInline?: boolean | undefined
  /** Called with each start that has failed, at most once a minute. */
  readonly onUnloadable: (error: Error) => void
  /** Called when the thread has ended, for whatever reason; it takes no more jobs. */
  readonly onEnd?: () => void
  /** The thread ends when the values of its heap take more. Buffers and WebAssembly memories do not count: see `foreign-bytes.ts`. */
  readonly maxHeapBytes?: number
  /** Milliseconds for which a file that failed to load is not tried again; a minute by default. */
  readonly retryMs?: number
}

/** No thread can be started at the moment. */
export class NoThread extends Error {
  override readonly name = 'NoThread'
}

/** First message of a thread whose imports have all succeeded. */
const loaded = 'loaded'

type Reply<Result> = { readonly result: Result } | { readonly error: unknown }

type Message<Result> = typeof loaded | { readonly result: Result } | { readonly error: PlainError }

/** Of a thread with a limit, as V8 chooses itself: less costs time. */
const youngGenerationMb = 48

const loadable = new Set<string>()
/** Files that failed to load, and until when they are not tried again, in milliseconds of `realElapsed`. */
const unloadable = new Map<string, number>()

export function startWorker<Job, Result>(options: WorkerOptions<Job, Result>): JobRunner<Job, Result> {
  const { file, name, inline, maxHeapBytes } = options
  const heapLimits = maxHeapBytes && {
    resourceLimits: {
      maxOldGenerationSizeMb: maxHeapBytes / 2 ** 20,
      maxYoungGenerationSizeMb: youngGenerationMb,
    },
  }
  let current: (PromiseWithResolvers<Result> & { readonly job: Job }) | undefined
  let isLoaded = false
  /** Why the thread takes no more jobs. */
  let ended: Error | undefined

  const hasEnded = () => new Error(`The ${name} thread has ended.`)
  const settle = (reply: Reply<Result>): void => {
    const task = current
    current = undefined
    if ('result' in reply) task?.resolve(reply.result)
    else task?.reject(reply.error)
  }
  const runInline = async (job: Job): Promise<void> => {
    try {
      settle({ result: await inline(job) })
    } catch (error) {
      settle({ error })
    }
  }
  const fallBack = (cause: unknown): void => {
    worker = undefined
    markUnloadable(options, cause)
    if (current) void runInline(current.job)
  }
  const close = (error: Error): void => {
    ended ??= error
    settle({ error })
    if (worker) options.onEnd?.()
    worker = undefined
  }
  const onEnd = (cause: Error): void => {
    if (isLoaded || ended) close(cause)
    else if (worker) onFailedStart(cause)
  }
  const onFailedStart = (cause: unknown): void => {
    if (!loadable.has(file.href)) fallBack(cause)
    else close(new NoThread(`The ${name} thread cannot be started at the moment`, { cause }))
  }

  let worker: Worker | undefined
  if (!options.isInline && (unloadable.get(file.href) ?? 0) <= realElapsed()) {
    try {
      worker = new Worker(file, { name, execArgv: [], ...heapLimits })
        .on('message', (message: Message<Result>) => {
          if (message === loaded) {
            isLoaded = true
            loadable.add(file.href)
          } else settle('result' in message ? message : { error: fromPlainError(message.error) })
        })
        .on('error', onEnd)
        .on('exit', () => onEnd(hasEnded()))
    } catch (error) {
      onFailedStart(error)
    }
  }

  return {
    run(job) {
      if (ended) return Promise.reject(ended)
      current = { job, ...Promise.withResolvers<Result>() }
      const { promise } = current
      if (worker) worker.postMessage(job)
      else void runInline(job)
      return promise
    },
    async memory() {
      const heap = await worker?.getHeapStatistics()
      return heap && heap.total_heap_size + heap.external_memory
    },
    async cpuMs() {
      const used = await worker?.cpuUsage()
      return used && (used.user + used.system) / 1000
    },
    ref: () => worker?.ref(),
    unref: () => worker?.unref(),
    async end() {
      ended ??= hasEnded()
      if (worker) await worker.terminate()
      else options.onEnd?.()
    },
  }
}

/** Runs one job in a thread of its own, which ends afterwards. When the signal aborts, the thread ends at once and the job rejects. */
export function runInWorker<Job, Result>(
  options: WorkerOptions<Job, Result>,
  job: Job,
  signal?: AbortSignal,
): Promise<Result> {
  return runOnce(() => startWorker(options), job, signal)
}

/** Starts a thread, runs one job in it and ends it; see {@link runInWorker}. */
export async function runOnce<Job, Result>(
  start: () => JobRunner<Job, Result>,
  job: Job,
  signal: AbortSignal | undefined,
): Promise<Result> {
  signal?.throwIfAborted()
  const worker = start()
  const end = () => void worker.end()
  signal?.addEventListener('abort', end)
  try {
    return await worker.run(job)
  } finally {
    signal?.removeEventListener('abort', end)
    await worker.end()
  }
}

function markUnloadable<Job, Result>(options: WorkerOptions<Job, Result>, cause: unknown): void {
  const { file, name, onUnloadable, retryMs = 60_000 } = options
  const now = realElapsed()
  // Others that started at the same time have failed, too.
  if ((unloadable.get(file.href) ?? 0) > now) return
  unloadable.set(file.href, now + retryMs)
  onUnloadable(new Error(`The ${name} worker cannot be loaded, its jobs run on the main thread`, { cause }))
}

/** In the file of a worker, after its imports: replies to each job. */
export function serveJobs<Job, Result>(handle: (job: Job) => Result | Promise<Result>): void {
  parentPort?.on('message', async (job: Job) => {
    let message: Message<Result>
    try {
      message = { result: await handle(job) }
    } catch (error) {
      message = { error: toPlainError(error) }
    }
    parentPort?.postMessage(message)
  })
  parentPort?.postMessage(loaded)
}
