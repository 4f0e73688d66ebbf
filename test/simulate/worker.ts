/** A process that runs simulations, one after the other, as its parent asks: `pool.ts`. It says when it is ready, and when an act begins. */
import { type Measure, type Result, run, warmUp } from './run.ts'
import type { Step } from './scenarios.ts'

export interface Job {
  readonly seed: number
  readonly plan: readonly Step[]
  /** Measures the CPU time of each kind of act. */
  readonly costs?: boolean
}

export interface Report extends Result {
  readonly cpuMs: number
  readonly costs: Readonly<Record<string, Cost>>
  readonly heapBytes: number
}

export interface Cost {
  readonly count: number
  readonly cpuMs: number
}

/** What the process sends. */
export type Message =
  | { readonly type: 'ready' }
  | { readonly type: 'act'; readonly name: string }
  | { readonly type: 'report'; readonly report: Report }

const send = (message: Message) => void process.send?.(message)

const cpuMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function measuring(costs: Record<string, Cost>): Measure {
  return async (act, work) => {
    const begun = cpuMs()
    const result = await work()
    const { count, cpuMs: before } = costs[act] ?? { count: 0, cpuMs: 0 }
    costs[act] = { count: count + 1, cpuMs: before + cpuMs() - begun }
    return result
  }
}

async function perform({ seed, plan, costs: isMeasured = false }: Job): Promise<Report> {
  const costs: Record<string, Cost> = {}
  const begun = cpuMs()
  const onAct = (name: string) => send({ type: 'act', name })
  const result = await run(seed, plan, isMeasured ? measuring(costs) : undefined, onAct)
  return { ...result, costs, cpuMs: cpuMs() - begun, heapBytes: process.memoryUsage().heapUsed }
}

// The parent, which gets it too, closes the connection when it ends.
process.on('SIGINT', () => {})
process.on('disconnect', () => process.exit())
process.on('message', async (job: Job) => send({ type: 'report', report: await perform(job) }))
await warmUp()
send({ type: 'ready' })
