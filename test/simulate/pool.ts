/** Processes of this one that run simulations. */
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import type { Job, Message, Report } from './worker.ts'

const execArgv = [
  // There is a process for each core: threads that compile and collect garbage would take the core of another one.
  '--single-threaded',
  // A server reserves 128 MiB for its database. By default V8 collects the whole heap for that, at each start of a server.
  ...['--external-memory-accounted-in-global-limit', '--initial-old-space-size=256'],
  ...['--min-semi-space-size=32', '--max-semi-space-size=64'],
]
const root = join(import.meta.dirname, '../..')
/** An act that takes so long runs in circles. */
const defaultActMs = 2 * 60_000

export interface PoolOptions {
  /** Path of the program of the processes. */
  readonly worker?: string
  /** Milliseconds that an act may take. */
  readonly actMs?: number
}

export interface Pool {
  readonly size: number
  /** Runs it in the first process that is free. @param not a number of a process that must not run it */
  run(job: Job, not?: number): Promise<Done>
  /** Ends the processes. What still waits never runs. */
  close(): void
}

export interface Done extends Report {
  /** Number of the process. */
  readonly by: number
}

interface Worker {
  readonly child: ChildProcess
  /** Resolves when it can run, or has ended. */
  readonly ready: Promise<void>
}

interface Waiting {
  readonly job: Job
  readonly not: number | undefined
  readonly resolve: (done: Done) => void
}

export function createPool(size: number, options: PoolOptions = {}): Pool {
  const idle: number[] = Array.from({ length: size }, (_, i) => i)
  const processes: (Worker | undefined)[] = []
  const waiting: Waiting[] = []
  let isClosed = false

  function assign(): void {
    if (isClosed) return
    for (const entry of [...waiting]) {
      const by = idle.find((number) => number !== entry.not)
      if (by === undefined) continue
      idle.splice(idle.indexOf(by), 1)
      waiting.splice(waiting.indexOf(entry), 1)
      void begin(by, entry)
    }
  }

  async function begin(by: number, { job, resolve }: Waiting): Promise<void> {
    const worker = processes[by] ?? start(options)
    processes[by] = worker
    const report = await reply(worker, job, options)
    if (report.isLast) {
      processes[by] = undefined
      end(worker)
    }
    idle.push(by)
    resolve({ ...report, by })
    assign()
  }

  return {
    size,
    run: (job, not) =>
      new Promise((resolve) => {
        waiting.push({ job, not, resolve })
        assign()
      }),
    close() {
      isClosed = true
      for (const worker of processes) if (worker) end(worker)
    },
  }
}

function start({ worker = join(import.meta.dirname, 'worker.ts') }: PoolOptions): Worker {
  // The cache compares the content of modules.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node') }
  const child = fork(worker, { execArgv, env, serialization: 'advanced' })
  const ready = new Promise<void>((resolve) => {
    child.once('message', () => resolve())
    child.once('exit', () => resolve())
  })
  return { child, ready }
}

function end({ child }: Worker): void {
  if (child.connected) child.disconnect()
}

/** Sends a job, and resolves with its report. A process that ends, or an act that does not, is a violation. */
async function reply(
  { child, ready }: Worker,
  job: Job,
  { actMs = defaultActMs }: PoolOptions,
): Promise<Report> {
  await ready
  const { promise, resolve } = Promise.withResolvers<Report>()
  let acts = 0
  let name = 'the start'
  // Each run ends with an act that is no step.
  const fail = (violation: string) =>
    resolve({ ...nothing, violation, steps: Math.min(acts, job.plan.length) })
  const limit = setTimeout(() => {
    child.kill('SIGKILL')
    fail(`${name} does not end`)
  }, actMs)
  child.on('exit', (code, signal) => fail(`${name} has ended the process: ${code ?? signal}`))
  child.on('message', (message: Message) => {
    if (message.type === 'report') return resolve(message.report)
    if (message.type !== 'act') return
    acts++
    name = message.name
    limit.refresh()
  })
  if (child.connected) child.send(job)
  else fail('the process has ended')
  const report = await promise
  clearTimeout(limit)
  child.removeAllListeners()
  return report
}

const nothing = { trace: [], effective: [], costs: {}, cpuMs: 0, heapBytes: 0, isLast: true }
