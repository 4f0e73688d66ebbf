/** A process that runs simulations with the sources beside it, as its parent asks: `simulator.ts`. The argument is how many at a time. */
import { createPool } from '../pool.ts'
import type { Job } from '../worker.ts'

const pool = createPool(Number(process.argv[2]))

// The parent, which gets it too, kills the processes when it ends.
process.on('SIGINT', () => {})
process.on('disconnect', () => process.exit())
process.on('message', async ({ id, job }: { readonly id: number; readonly job: Job }) => {
  const done = await pool.run(job)
  process.send?.({ id, done })
})
