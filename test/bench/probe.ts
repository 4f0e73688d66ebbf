/**
 * Loaded into the measured server with `--import`: monitors its event loop. Replies to each message with the longest delay
 * since the last `start`, which resets it.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'

export interface LoopDelay {
  /** Milliseconds by which a 1 ms timer was late. */
  readonly p99: number
  readonly longest: number
}

const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()

process.on('message', (question) => {
  if (question === 'start') delay.reset()
  const loopDelay: LoopDelay = { p99: delay.percentile(99) / 1e6, longest: delay.max / 1e6 }
  process.send?.(loopDelay)
})
process.channel?.unref()
