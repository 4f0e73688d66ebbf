/**
 * Work on bytes of others: pictures, videos, archives, backups. A thread reads them, with a limit of memory and of time for each job,
 * so that no content makes the server slow or large. Every decoder runs here, or is an exception with a reason in
 * `test/architecture.test.ts`.
 */
import { clearDeadline, setDeadline } from './deadlines.ts'
import { type JobRunner, NoThread, runOnce, startWorker, type WorkerOptions } from './worker-or-inline.ts'

export interface Limits {
  /** Limit of the heap of the thread, its buffers and its WebAssembly memories together. */
  readonly memoryBytes: number
  readonly timeMs: number
}

export interface ForeignBytesOptions<Job, Result>
  extends Omit<WorkerOptions<Job, Result>, 'inline' | 'maxHeapBytes'> {
  /**
   * Runs jobs if threads cannot be started; if absent, those jobs are refused. For readers that need little memory, and for all with
   * `isInline`: their bytes come from the test that runs the server.
   */
  readonly inline?: WorkerOptions<Job, Result>['inline']
  readonly limits?: Partial<Limits>
  /** Whether its values are few, so that V8 needs no limit of their heap, which costs 5 % of a job. Buffers are measured. */
  readonly hasSmallHeap?: boolean
}

/** The job was ended: its thread needed too much, or all of them together did. */
export class LimitExceeded extends Error {
  override readonly name = 'LimitExceeded'
  readonly limit: keyof Limits | 'shared' | 'busy'

  constructor(thread: string, limit: LimitExceeded['limit']) {
    super(`The ${thread} thread was ended: ${reasons[limit]}`)
    this.limit = limit
  }
}

const reasons: Readonly<Record<LimitExceeded['limit'], string>> = {
  memoryBytes: 'its content needs too much memory',
  timeMs: 'its content needs too much time',
  shared: 'other content needs the memory',
  busy: 'other work needs the processor',
}

/** Whether the bytes caused the error, so that another attempt would fail too. Other causes: the disk, no thread, other bytes. */
export function isOfBytes(error: unknown): boolean {
  if (error instanceof LimitExceeded) return error.limit === 'memoryBytes' || error.limit === 'timeMs'
  return !(error instanceof NoThread) && !(error instanceof Error && 'syscall' in error)
}

/** Whether a job took too long: because of its bytes, or because the machine is slow. */
export function isOutOfTime(error: unknown): boolean {
  return error instanceof LimitExceeded && error.limit === 'timeMs'
}

const defaultLimits: Limits = { memoryBytes: 256 * 2 ** 20, timeMs: 60_000 }
/** Of all threads together. The one that needs the most is ended. Threads with a larger limit of their own are not counted. */
const sharedBytes = 256 * 2 ** 20
const running = new Map<object, number>()

/** Interval of the measurements. A job can exceed its limit by the bytes that it fills in this time. */
const everyMs = 10

/** Milliseconds in which a thread reports its CPU time, unless it is stuck. */
const replyMs = 5000

/** Starts a thread for several jobs, one at a time. After an exceeded limit it takes no more. @throws LimitExceeded */
export function startForeignBytesWorker<Job, Result>(
  options: ForeignBytesOptions<Job, Result>,
): JobRunner<Job, Result> {
  const limits = { ...defaultLimits, ...options.limits }
  const refuse = () =>
    Promise.reject(
      new NoThread(`The jobs of the ${options.name} thread need a thread, and none can be started`),
    )
  const heapLimit = options.hasSmallHeap ? {} : { maxHeapBytes: limits.memoryBytes / 2 }
  const worker = startWorker({ inline: refuse, ...options, ...heapLimit })
  // This thread cannot be ended.
  if (options.isInline) return worker

  async function run(job: Job): Promise<Result> {
    let exceeded: LimitExceeded['limit'] | undefined
    const end = (limit: LimitExceeded['limit']) => {
      exceeded ??= limit
      void worker.end()
    }
    let isDone = false
    const measure = async (): Promise<void> => {
      // The thread may end meanwhile.
      const bytes = (await worker.memory().catch(() => undefined)) ?? 0
      if (isDone) return
      if (limits.memoryBytes <= sharedBytes) running.set(worker, bytes)
      if (bytes > limits.memoryBytes) end('memoryBytes')
      else if (isTooMuchFor(worker)) end('shared')
      else timer = setDeadline(measure, everyMs)
    }
    let timer = setDeadline(measure, everyMs)
    let deadline = setDeadline(async () => {
      deadline = setDeadline(() => end('timeMs'), replyMs)
      const cpuMs = (await worker.cpuMs().catch(() => undefined)) ?? 0
      if (!isDone) end(cpuMs < limits.timeMs / 2 ? 'busy' : 'timeMs')
    }, limits.timeMs)
    try {
      return await worker.run(job)
    } catch (error) {
      if (isOutOfMemory(error)) exceeded ??= 'memoryBytes'
      throw exceeded ? new LimitExceeded(options.name, exceeded) : error
    } finally {
      isDone = true
      running.delete(worker)
      clearDeadline(timer)
      clearDeadline(deadline)
    }
  }
  return { ...worker, run }
}

/** Runs one job in a thread of its own. When the signal aborts, the thread ends and the job rejects. @throws LimitExceeded */
export function readForeignBytes<Job, Result>(
  options: ForeignBytesOptions<Job, Result>,
  job: Job,
  signal?: AbortSignal,
): Promise<Result> {
  return runOnce(() => startForeignBytesWorker(options), job, signal)
}

function isTooMuchFor(worker: object): boolean {
  const used = [...running.values()]
  const isLargest = running.get(worker) === Math.max(...used)
  return isLargest && used.reduce((sum, bytes) => sum + bytes, 0) > sharedBytes
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
}
