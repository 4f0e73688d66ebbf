/**
 * Passwords are kept as bcrypt of the base64 SHA-256 digest of their UTF-8 bytes: bcrypt alone would cut them at 72
 * bytes. One worker thread does the work, first come, first served.
 */

import { createHash, timingSafeEqual } from 'node:crypto'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { HashJob, HashResult } from './password-worker.ts'

export interface PasswordHasher {
  /** @throws {PasswordQueueFull} */
  hash(password: string): Promise<string>
  /**
   * Whether `hash` is of this password. Without a hash (no such account, or one without a password) the answer is false
   * after the same work, so that the time taken does not tell which accounts exist.
   * @throws {PasswordQueueFull}
   */
  verify(password: string, hash: string | undefined): Promise<boolean>
  /** Ends the worker; what is waiting is rejected, and so is all that comes later. */
  close(): Promise<void>
}

/** More passwords wait for the worker than it can answer in reasonable time: the caller should ask again later. */
export class PasswordQueueFull extends Error {
  override readonly name = 'PasswordQueueFull'
}

interface PasswordHasherOptions {
  /** Binary logarithm of bcrypt's rounds, 4 to 31. */
  readonly cost?: number
  /** How many passwords may wait, the one in work included. */
  readonly maxWaiting?: number
}

interface Waiting {
  resolve(hash: string): void
  reject(error: Error): void
}

/** `$2b$`, the cost, `$` and 22 characters of salt; the hash proper follows. */
const SALT_LENGTH = 29

/** The worker starts with the first password and is kept. Should it crash, what waited is rejected and the next password starts another. */
export function createPasswordHasher({
  cost = 10,
  maxWaiting = 100,
}: PasswordHasherOptions = {}): PasswordHasher {
  const dummySalt = `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(22)}`
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let lastId = 0
  let closed = false

  function startWorker(): Worker {
    // The extension is .ts where Node itself strips the types, .js once compiled.
    // The process's own flags are not the worker's business; some, like --input-type, would stop it.
    const file = new URL(`./password-worker${extname(import.meta.url)}`, import.meta.url)
    const started = new Worker(file, { name: 'passwords', execArgv: [] })
    started.on('message', (result: HashResult) => {
      const job = waiting.get(result.id)
      waiting.delete(result.id)
      if (waiting.size === 0) started.unref()
      if ('hash' in result) job?.resolve(result.hash)
      else job?.reject(result.error)
    })
    started.on('error', (cause) => abandon(started, new Error('The password worker failed.', { cause })))
    started.on('exit', () => abandon(started, new Error('The password worker has ended.')))
    return started
  }

  function abandon(ended: Worker, reason: Error): void {
    // 'exit' follows 'error', by which time a successor may be at work.
    if (worker !== ended) return
    worker = undefined
    for (const job of waiting.values()) job.reject(reason)
    waiting.clear()
  }

  function bcrypt(password: string, salt: number | string): Promise<string> {
    if (closed) return Promise.reject(new Error('The password hasher is closed.'))
    if (waiting.size >= maxWaiting) {
      return Promise.reject(new PasswordQueueFull('Too many passwords are being checked at the moment.'))
    }
    const secret = createHash('sha256').update(password, 'utf8').digest('base64')
    const job: HashJob = { id: ++lastId, secret, salt }
    worker ??= startWorker()
    // A worker at work keeps the process alive, an idle one does not.
    worker.ref()
    worker.postMessage(job)
    return new Promise((resolve, reject) => waiting.set(job.id, { resolve, reject }))
  }

  return {
    hash: (password) => bcrypt(password, cost),
    async verify(password, hash) {
      const computed = await bcrypt(password, hash?.slice(0, SALT_LENGTH) ?? dummySalt)
      return hash !== undefined && areEqual(computed, hash)
    },
    async close() {
      closed = true
      await worker?.terminate()
    },
  }
}

function areEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
