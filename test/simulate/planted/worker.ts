/** A process that runs simulations, with acts in which a server fails in a way that it cannot report. */
import { yieldToEventLoop } from '../../../server/util/timers.ts'
import type { Act } from '../acts/act.ts'
import { acts } from '../acts/index.ts'
import type { Machine } from '../world/machine.ts'
import { currentProcess } from '../world/wire.ts'

/** Runs code as that of the first server. */
function within(work: (machine: Machine) => void): Act {
  return {
    weight: 0,
    async run({ machines: [machine], time }) {
      if (machine) currentProcess.run({ node: machine.name, isDead: false }, () => work(machine))
      await time.settle()
      return 'a server fails'
    },
  }
}

async function turnForever(): Promise<never> {
  for (;;) await yieldToEventLoop()
}

Object.assign(acts, {
  reject: within(() => void Promise.reject(new Error('planted'))),
  throw: within(
    () =>
      void setImmediate(() => {
        throw new Error('planted')
      }),
  ),
  turn: within(() => void turnForever()),
  block: within(() => {
    for (;;);
  }),
  end: within(() => process.exit(3)),
  hang: {
    weight: 0,
    run: (world) => world.drive(new Promise<undefined>(() => {}), 'one: planted'),
  },
} satisfies Record<string, Act>)

await import('../worker.ts')
