/** Verifies archives in a worker thread, one at a time: each takes a core, and memory for the positions of its blocks. */
import type { Files } from '../../../store/files/files.ts'
import { onFiles } from '../../../store/files/jobs-on-files.ts'
import { StoreUnavailable } from '../../../store/files/store-errors.ts'
import { clearDeadline, setDeadline } from '../../../util/deadlines.ts'
import { isOfBytes, LimitExceeded, startForeignBytesWorker } from '../../../util/foreign-bytes.ts'
import { createSerializer } from '../../../util/serialize.ts'
import type { Timer } from '../../../util/timers.ts'
import type { JobRunner } from '../../../util/worker-or-inline.ts'
import { InvalidArchive } from './invalid-archive.ts'
import { type VerifiedArchive, type VerifyJob, verifyArchive } from './verify.ts'

interface Options {
  /** The files of the archives. */
  readonly files: Files
  /** Called if there can be no thread: archives are then verified on the main thread. */
  readonly onUnloadable: (error: Error) => void
  /** Ends the thread, and the verification fails. */
  readonly signal: AbortSignal
  /** Milliseconds for which the thread waits for the next archive. */
  readonly idleMs: number
}

/** For the largest archives, on a slow computer. */
const timeMs = 10 * 60_000

/** Returns a function that verifies an archive. @throws an error for which `isInvalidArchive` is true */
export function createVerifier({
  files,
  onUnloadable,
  signal,
  idleMs,
}: Options): (job: VerifyJob) => Promise<VerifiedArchive> {
  const serialize = createSerializer()
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  let worker: JobRunner<VerifyJob, VerifiedArchive> | undefined
  let idle: Timer | undefined

  const start = () =>
    startForeignBytesWorker<VerifyJob, VerifiedArchive>({
      file: new URL(`./verify-worker.${extension}`, import.meta.url),
      name: 'import',
      limits: { timeMs },
      // It holds the positions of blocks only.
      ...onFiles(files, verifyArchive),
      onUnloadable,
      onEnd: () => {
        worker = undefined
      },
    })
  const stop = async (): Promise<void> => {
    clearDeadline(idle)
    const ending = worker
    worker = undefined
    await ending?.end()
  }
  const verify = async (job: VerifyJob): Promise<VerifiedArchive> => {
    signal.throwIfAborted()
    clearDeadline(idle)
    worker ??= start()
    worker.ref()
    try {
      return await worker.run(job)
    } catch (error) {
      if (!(error instanceof LimitExceeded)) throw error
      worker = undefined
      if (isOfBytes(error))
        throw new InvalidArchive('The archive needs too much memory or time to be verified')
      throw new StoreUnavailable('The server verifies other content. Try again in a minute.')
    } finally {
      worker?.unref()
      if (idleMs === 0 || signal.aborted) await stop()
      else idle = setDeadline(() => void stop(), idleMs).unref()
    }
  }
  signal.addEventListener('abort', () => void stop())
  return (job) => serialize(() => verify(job))
}
