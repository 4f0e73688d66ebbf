/** Loaded into the measured server with `--import`: replies to each message with its memory after a garbage collection. */
process.on('message', () => {
  globalThis.gc?.()
  process.send?.(process.memoryUsage())
})
process.channel?.unref()
