/** Runs simulations in processes of their own, with sources of any folder. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Done, Pool } from '../pool.ts'
import type { Job } from '../worker.ts'

export interface Simulator extends Pick<Pool, 'size' | 'run'> {
  /** Ends the processes. Runs that go on never resolve. */
  kill(): Promise<void>
}

const running = new Set<() => void>()

/** @param size how many simulations run at a time */
export function createSimulator(folder: string, size: number): Simulator {
  const child = fork(join(folder, 'test/simulate/prove/trials.ts'), [String(size)], {
    cwd: folder,
    serialization: 'advanced',
    // A group of its own, which is killed as a whole.
    detached: process.platform !== 'win32',
  })
  const ended = once(child, 'exit')
  const waiting = new Map<number, (done: Done) => void>()
  let count = 0
  child.on('message', ({ id, done }: { readonly id: number; readonly done: Done }) => {
    waiting.get(id)?.(done)
    waiting.delete(id)
  })
  const kill = () => killGroup(child)
  running.add(kill)
  return {
    size,
    async run(job: Job) {
      const { promise, resolve } = Promise.withResolvers<Done>()
      const id = count++
      waiting.set(id, resolve)
      child.send({ id, job })
      const exit = ended.then(() => {
        throw new Error('The processes of the simulation have ended.')
      })
      const done = await Promise.race([promise, exit])
      // Its modules do not load.
      if (done.violation?.includes('has ended') && done.steps === 0)
        throw new Error(`The simulation does not run: ${done.violation}`)
      return done
    },
    async kill() {
      kill()
      running.delete(kill)
      await ended
    },
  }
}

/** Ends the processes of all simulators. */
export function killAll(): void {
  for (const kill of running) kill()
}

/** Kills a process with its children: when they end by themselves, they write the cache of modules to the folder. */
function killGroup(child: ReturnType<typeof fork>): void {
  if (child.pid === undefined || process.platform === 'win32') child.kill('SIGKILL')
  else
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // All have ended.
    }
}
