/** Verifies archives in a worker thread, one at a time: each takes a core, and memory for the positions of its blocks. */
import { createSerializer } from '../../util/serialize.ts'
import { startWorker } from '../../util/worker-or-inline.ts'
import { type VerifiedArchive, type VerifyJob, verifyArchive } from './verify.ts'

/**
 * Returns a function that verifies an archive. @throws an error for which `isInvalidArchive` is true
 * @param onUnloadable called if there can be no thread: archives are then verified on the main thread
 * @param signal ends the thread, and the verification fails
 */
export function createVerifier(
  onUnloadable: (error: Error) => void,
  signal: AbortSignal,
): (job: VerifyJob) => Promise<VerifiedArchive> {
  const serialize = createSerializer()
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const verify = async (job: VerifyJob): Promise<VerifiedArchive> => {
    const worker = startWorker<VerifyJob, VerifiedArchive>({
      file: new URL(`./verify-worker.${extension}`, import.meta.url),
      name: 'import',
      inline: verifyArchive,
      onUnloadable,
    })
    const stop = () => void worker.end()
    signal.addEventListener('abort', stop)
    try {
      signal.throwIfAborted()
      return await worker.run(job)
    } finally {
      signal.removeEventListener('abort', stop)
      await worker.end()
    }
  }
  return (job) => serialize(() => verify(job))
}
