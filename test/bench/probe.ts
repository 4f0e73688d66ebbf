/**
 * Loaded into the measured server with `--import`: measures the delay of its event loop. The message `start` resets it; every
 * message is answered with the delay since.
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
  const measured: LoopDelay = { p99: delay.percentile(99) / 1e6, longest: delay.max / 1e6 }
  process.send?.(measured)
})
process.channel?.unref()
