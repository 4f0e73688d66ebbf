/** Processes of this one that run simulations. */
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import type { Job, Report } from './worker.ts'

const execArgv = [
  // There is a process for each core: threads that compile and collect garbage would take the core of another one.
  '--single-threaded',
  // A server reserves 128 MiB for its database. By default V8 collects the whole heap for that, at each start of a server.
  ...['--external-memory-accounted-in-global-limit', '--initial-old-space-size=256'],
  ...['--min-semi-space-size=32', '--max-semi-space-size=64'],
]
const root = join(import.meta.dirname, '../..')
/** A run that takes longer runs in circles. */
const limitMs = 10 * 60_000

export interface Pool {
  readonly size: number
  /** Runs it in the first process that is free. @param not a number of a process that must not run it */
  run(job: Job, not?: number): Promise<Done>
  close(): void
}

export interface Done extends Report {
  /** Number of the process. */
  readonly by: number
}

interface Waiting {
  readonly job: Job
  readonly not: number | undefined
  readonly resolve: (done: Done) => void
}

export function createPool(size: number): Pool {
  const idle: number[] = Array.from({ length: size }, (_, i) => i)
  const processes: (ChildProcess | undefined)[] = []
  const waiting: Waiting[] = []

  function assign(): void {
    for (const entry of [...waiting]) {
      const by = idle.find((number) => number !== entry.not)
      if (by === undefined) continue
      idle.splice(idle.indexOf(by), 1)
      waiting.splice(waiting.indexOf(entry), 1)
      void begin(by, entry)
    }
  }

  async function begin(by: number, { job, resolve }: Waiting): Promise<void> {
    const child = processes[by] ?? start()
    processes[by] = child
    const report = await reply(child, job)
    if (!child.connected) processes[by] = undefined
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
      for (const child of processes) child?.disconnect()
    },
  }
}

function start(): ChildProcess {
  // The cache compares the content of modules.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node') }
  return fork(join(import.meta.dirname, 'worker.ts'), { execArgv, env, serialization: 'advanced' })
}

/** Sends a job, and resolves with its report. A process that ends, or never replies, is a violation. */
function reply(child: ChildProcess, job: Job): Promise<Report> {
  return new Promise((resolve) => {
    const end = (report: Report) => {
      clearTimeout(limit)
      child.removeAllListeners()
      resolve(report)
    }
    const fail = (violation: string) => end({ ...nothing, violation, steps: job.plan.length })
    const limit = setTimeout(() => {
      child.kill('SIGKILL')
      child.disconnect()
      fail('the run does not end')
    }, limitMs)
    child.once('message', end)
    child.once('exit', (code, signal) => fail(`the process has ended: ${code ?? signal}`))
    child.send(job)
  })
}

const nothing = { trace: [], effective: [], costs: {}, cpuMs: 0, heapBytes: 0 }
