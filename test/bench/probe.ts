/**
 * Loaded into the measured server with `--import`: monitors its event loop. Replies to each message with what it measured
 * since the last `start`.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'

export interface LoopDelay {
  /** Milliseconds by which a 1 ms timer was late. */
  readonly p99: number
  readonly longest: number
  /** The most milliseconds of CPU time between two turns of that timer: other load on the machine hardly changes it. */
  readonly cpu: number
}

const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
let lastCpu = 0
let mostCpu = 0
setInterval(() => {
  const { user, system } = process.threadCpuUsage()
  const cpu = (user + system) / 1000
  mostCpu = Math.max(mostCpu, cpu - lastCpu)
  lastCpu = cpu
}, 1).unref()

process.on('message', (question) => {
  if (question === 'start') {
    delay.reset()
    mostCpu = 0
  }
  const loopDelay: LoopDelay = { p99: delay.percentile(99) / 1e6, longest: delay.max / 1e6, cpu: mostCpu }
  process.send?.(loopDelay)
})
process.channel?.unref()
