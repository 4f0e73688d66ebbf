/**
 * Worker threads that run one job at a time. If the file of a worker cannot be loaded (a packed program may not find it), its jobs
 * run on the main thread instead: slower, but the server works.
 */
import { parentPort, Worker } from 'node:worker_threads'
import { fromPlainError, type PlainError, toPlainError } from './thread-error.ts'

export interface JobRunner<Job, Result> {
  /** Runs a job; the previous one must have ended. Rejects if the job fails or if the thread ends. */
  run(job: Job): Promise<Result>
  /** Bytes that the thread has allocated: its heap, buffers and WebAssembly memories. Undefined without a thread. */
  memory(): Promise<number | undefined>
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
  /** Called once per file. */
  readonly onUnloadable: (error: Error) => void
  /** Called when the thread has ended, for whatever reason; it takes no more jobs. */
  readonly onEnd?: () => void
  /** The thread ends when the values of its heap take more. Buffers and WebAssembly memories do not count: see `foreign-bytes.ts`. */
  readonly maxHeapBytes?: number
}

/** First message of a thread whose imports have all succeeded. */
const loaded = 'loaded'

type Reply<Result> = { readonly result: Result } | { readonly error: unknown }

type Message<Result> = typeof loaded | { readonly result: Result } | { readonly error: PlainError }

/** Of a thread with a limit, as V8 chooses itself: less costs time. */
const youngGenerationMb = 48

/** Files that failed to load: they are not tried again. */
const unloadable = new Set<string>()

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
  let isEnded = false

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
  const onEnd = (cause: Error): void => {
    if (isLoaded || isEnded) {
      isEnded = true
      settle({ error: cause })
      if (worker) options.onEnd?.()
      worker = undefined
    } else if (worker) fallBack(cause)
  }

  let worker: Worker | undefined
  if (!unloadable.has(file.href)) {
    try {
      worker = new Worker(file, { name, execArgv: [], ...heapLimits })
        .on('message', (message: Message<Result>) => {
          if (message === loaded) isLoaded = true
          else settle('result' in message ? message : { error: fromPlainError(message.error) })
        })
        .on('error', onEnd)
        .on('exit', () => onEnd(new Error(`The ${name} thread has ended.`)))
    } catch (error) {
      fallBack(error)
    }
  }

  return {
    run(job) {
      if (isEnded) return Promise.reject(new Error(`The ${name} thread has ended.`))
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
    ref: () => worker?.ref(),
    unref: () => worker?.unref(),
    async end() {
      isEnded = true
      if (worker) await worker.terminate()
      else options.onEnd?.()
    },
  }
}

/** Runs one job in a thread of its own, which ends afterwards. When the signal aborts, the thread ends at once and the job rejects. */
export async function runInWorker<Job, Result>(
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
  const { file, name, onUnloadable } = options
  if (unloadable.has(file.href)) return
  unloadable.add(file.href)
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
