/**
 * Lets the owner check this server: measures all requirements at its public address, in a thread and with an account made for it. One
 * check runs at a time; its results stay in memory until the next one.
 */
import type { Platform } from '../../platform/platform.ts'
import { once } from '../../util/once.ts'
import { type JobRunner, startWorker } from '../../util/worker-or-inline.ts'
import type { Probes } from '../doctor/probes.ts'
import { type CheckAccount, type CheckAccountDeps, createCheckAccounts } from './check-account.ts'
import { expectOwnAddress, WrongServer } from './own-address.ts'
import type { Result } from './runner.ts'
import type { Step, StepJob } from './steps.ts'

/** Why a check ended before its last requirement. */
export type CheckEnd = 'stopped' | 'wrongServer' | 'unanswered' | 'late' | 'failed'

export interface CheckState {
  readonly isRunning: boolean
  readonly startedAt: Date
  readonly endedAt: Date | undefined
  /** Address that was measured. */
  readonly url: string
  /** The number of requirements; 0 until it is known. */
  readonly total: number
  readonly results: readonly Result[]
  /** Undefined for a complete check, and while it runs. */
  readonly end: CheckEnd | undefined
  /** For people: why the address is the wrong one. */
  readonly reason: string | undefined
}

export interface OwnCheck {
  /** The current check, or the last one. Undefined before the first one. */
  state(): CheckState | undefined
  /** Starts a check, unless one runs. */
  start(): void
  /** Ends the check that runs. Resolves when its account is deleted. */
  stop(): Promise<void>
  /** Hides the accounts of checks that ended with the process. Maintenance deletes their rows. */
  hideLeftovers(): Promise<void>
  close(): Promise<void>
}

export interface OwnCheckDeps
  extends CheckAccountDeps,
    Pick<Platform, 'origin' | 'log' | 'signal' | 'inlineJobs' | 'isForTests'> {
  readonly probes: Probes
  onUnloadable(error: Error): void
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

/** A thread that takes more ends. */
const maxHeapBytes = 256 * 2 ** 20

export function createOwnCheck(deps: OwnCheckDeps): OwnCheck {
  const { origin, now, log, signal, probes } = deps
  const accounts = createCheckAccounts(deps)
  let state: Mutable<CheckState> | undefined
  let running: Promise<void> | undefined
  let steps: JobRunner<StepJob, Step> | undefined
  let stopping = new AbortController()

  async function measure(check: Mutable<CheckState>, account: CheckAccount): Promise<void> {
    const { handle, password } = account
    const job: StepJob = { url: origin, plcUrl: origin, account: { identifier: handle, password } }
    const results: Result[] = []
    const thread = startSteps(deps)
    steps = thread
    const end = () => void thread.end()
    signal.addEventListener('abort', end)
    try {
      for (;;) {
        const { total, result, ended } = await thread.run(job)
        check.total = total
        if (ended === 'unanswered' || ended === 'late') check.end = ended
        if (!result) return
        results.push(result)
        check.results = [...results]
      }
    } finally {
      signal.removeEventListener('abort', end)
      await thread.end()
    }
  }

  async function run(check: Mutable<CheckState>): Promise<void> {
    try {
      await expectOwnAddress(origin, probes, AbortSignal.any([stopping.signal, signal]))
      const account = await accounts.create()
      if (!stopping.signal.aborted) await measure(check, account)
      if (stopping.signal.aborted) check.end = 'stopped'
    } catch (error) {
      check.end = endOf(error)
      if (check.end === 'wrongServer') check.reason = (error as Error).message
      if (check.end === 'failed') log.warn({ err: error }, 'check of the protocol failed')
    } finally {
      // All that was made for the check belongs to its account.
      await accounts.removeAll().catch((error: unknown) => {
        log.warn({ err: error }, 'deletion of the account of a check failed')
      })
      check.isRunning = false
      check.endedAt = now()
      running = undefined
    }
  }

  function endOf(error: unknown): CheckEnd {
    if (stopping.signal.aborted || signal.aborted) return 'stopped'
    return error instanceof WrongServer ? 'wrongServer' : 'failed'
  }

  async function stop(): Promise<void> {
    if (!running) return
    stopping.abort()
    await steps?.end()
    await running
  }

  return {
    state: () => state,
    start() {
      if (running || signal.aborted) return
      stopping = new AbortController()
      const empty = { total: 0, results: [], endedAt: undefined, end: undefined, reason: undefined }
      state = { ...empty, isRunning: true, startedAt: now(), url: origin }
      running = run(state)
    },
    stop,
    hideLeftovers: () => accounts.hideAll(),
    close: stop,
  }
}

function startSteps({ inlineJobs, isForTests, onUnloadable }: OwnCheckDeps): JobRunner<StepJob, Step> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const load = once(async () => (await import('./steps.ts')).createSteps())
  return startWorker<StepJob, Step>({
    file: new URL(`./step-worker.${extension}`, import.meta.url),
    name: 'conformance',
    inline: async (job) => (await load())(job),
    // A thread has the time of the machine.
    isInline: inlineJobs || isForTests,
    maxHeapBytes,
    onUnloadable,
  })
}
