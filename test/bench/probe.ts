/**
 * Loaded into the measured server with `--import`: watches its event loop. Asked `start` it begins anew; asked anything else it
 * tells the longest stop since.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'

export interface LoopDelay {
  /** Milliseconds by which a timer of one millisecond was late. */
  readonly p99: number
  readonly longest: number
}

const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()

process.on('message', (question) => {
  if (question === 'start') delay.reset()
  const told: LoopDelay = { p99: delay.percentile(99) / 1e6, longest: delay.max / 1e6 }
  process.send?.(told)
})
process.channel?.unref()
