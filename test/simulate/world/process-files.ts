/** The file system as one process has it: after its end no operation reaches the disk, which the next process may use already. */
import type { Files } from '../../../server/store/files/files.ts'
import { systemTimers } from '../../../server/util/timers.ts'
import type { Process } from './wire.ts'

export function filesOf(process: Process, files: Files): Files {
  return guarded(process, files)
}

/** Guards the methods of an object, and of the files that they open. */
function guarded<T extends object>(process: Process, target: T): T {
  return new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        const call = (): unknown => {
          if (process.isDead) throw new Error('This process has ended.')
          return member.apply(target, args)
        }
        const result = syncs.has(name) ? afterTurn(call) : call()
        return result instanceof Promise ? result.then((value) => opened(process, value)) : result
      }
    },
  })
}

const syncs = new Set<string | symbol>(['sync', 'syncDir'])

/** A sync takes a while, as on real disks: what does not wait for it goes on meanwhile. */
async function afterTurn(call: () => unknown): Promise<unknown> {
  await systemTimers.nextTurn()
  return call()
}

function opened(process: Process, value: unknown): unknown {
  const isFile = typeof value === 'object' && value !== null && 'close' in value
  return isFile ? guarded(process, value) : value
}
