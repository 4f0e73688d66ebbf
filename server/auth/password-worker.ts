/** A thread that hashes passwords: bcrypt takes tens of milliseconds of CPU, which would block the event loop. */
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { hashSync } from 'bcryptjs'

export interface HashJob {
  readonly secret: string
  /** A cost, for a fresh salt, or the first 29 characters of a bcrypt hash. */
  readonly salt: number | string
}

export type HashResult = { readonly hash: string } | { readonly error: Error }

/** Nice value of the thread: low enough for requests to go first, not so low that a busy machine starves sign-ins. */
const niceness = 5

lowerPriority()

parentPort?.on('message', (job: HashJob) => parentPort?.postMessage(hashOf(job)))

function hashOf({ secret, salt }: HashJob): HashResult {
  try {
    return { hash: hashSync(secret, salt) }
  } catch (cause) {
    return { error: new Error('Not a bcrypt hash.', { cause }) }
  }
}

/** Only Linux has a priority per thread; elsewhere this would slow the whole process down. */
function lowerPriority(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(niceness)
  } catch {
    // Not permitted here: the thread then competes with requests on equal terms.
  }
}
