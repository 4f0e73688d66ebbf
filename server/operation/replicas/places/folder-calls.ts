/**
 * Calls of folders. Each takes one of the few threads that Node.js has for files, and keeps it while its disk hangs: so there is one call
 * per folder at a time, and some threads are left to the server.
 */
import { clearDeadline, setDeadline } from '../../../util/deadlines.ts'
import { PlaceProblem } from './place.ts'

interface Limits {
  /** Calls at a time. */
  readonly most: number
  /** Milliseconds after which a folder counts as unreachable. A slow disk may take minutes to write an object. */
  readonly hangMs: number
}

interface Waiting {
  readonly root: string
  begin(): void
}

export interface FolderCalls {
  /** Number of running calls, which keep the process from exiting. */
  readonly running: number
  /** Calls `work` when no other call uses this folder. @throws PlaceProblem `unreachable` if that takes too long */
  run<T>(root: string, work: () => Promise<T>): Promise<T>
}

/** Threads that are left to the server: the number that Node.js has by default. */
const serverThreads = 4

export function createFolderCalls({ most, hangMs }: Limits): FolderCalls {
  const busy = new Set<string>()
  const waiting = new Set<Waiting>()

  function beginNext(): void {
    for (const call of waiting) {
      if (busy.size >= most) return
      if (busy.has(call.root)) continue
      waiting.delete(call)
      busy.add(call.root)
      call.begin()
    }
  }

  return {
    get running() {
      return busy.size
    },
    async run<T>(root: string, work: () => Promise<T>): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      const end = () => {
        busy.delete(root)
        beginNext()
      }
      const call = { root, begin: () => void work().then(resolve, reject).finally(end) }
      const timer = setDeadline(() => {
        waiting.delete(call)
        reject(new PlaceProblem('unreachable', `The folder ${root} does not respond. Check its disk.`))
      }, hangMs).unref()
      waiting.add(call)
      beginNext()
      return promise.finally(() => clearDeadline(timer))
    },
  }
}

const threads = Number(process.env.UV_THREADPOOL_SIZE ?? serverThreads)

/** The calls of all folders of this process. */
export const folderCalls = createFolderCalls({
  most: Math.max(1, threads - serverThreads),
  hangMs: 5 * 60_000,
})

/** Ends the process. It would wait for a call of a folder that hangs, and for a name server that does not respond. */
export function exitDespiteHangs(exit: () => void): void {
  const isWaiting = folderCalls.running > 0 || process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap')
  if (isWaiting) process.kill(process.pid, 'SIGKILL')
  else exit()
}
