/**
 * Ends all writes of a process that has lost the lock of its data directory. The lock is compared before each write, and after it: a
 * transaction is acknowledged only if no other process can have opened the directory before it was on disk.
 */
import { StoreLockLost } from './errors.ts'
import type { Files, OpenFile } from './files.ts'
import type { Lock } from './lock.ts'

export class Fence {
  readonly #lock: Lock
  readonly #dir: string
  readonly #onLost: ((error: StoreLockLost) => void) | undefined
  #error: StoreLockLost | undefined

  /** @param onLost called once */
  constructor(lock: Lock, dir: string, onLost?: (error: StoreLockLost) => void) {
    this.#lock = lock
    this.#dir = dir
    this.#onLost = onLost
  }

  /** Undefined while the process has the lock, as far as it knows. */
  get error(): StoreLockLost | undefined {
    return this.#error
  }

  /** @throws StoreLockLost */
  async check(): Promise<void> {
    if (!this.#error && !(await this.#lock.isHeld())) {
      this.#error = new StoreLockLost(this.#dir)
      this.#onLost?.(this.#error)
    }
    if (this.#error) throw this.#error
  }

  /** Returns files that can be changed only with the lock. */
  guard(files: Files): Files {
    const guarded =
      <A extends unknown[], R>(change: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        await this.check()
        return change(...args)
      }
    const opened = (open: Files['edit']): Files['edit'] =>
      guarded(async (path, options) => this.#guardFile(await open(path, options)))
    return {
      ...files,
      create: opened(files.create),
      edit: opened(files.edit),
      rename: guarded(files.rename),
      link: guarded(files.link),
      remove: guarded(files.remove),
      removeDir: guarded(files.removeDir),
    }
  }

  #guardFile(file: OpenFile): OpenFile {
    const around =
      <A extends unknown[], R>(change: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        await this.check()
        const result = await change(...args)
        await this.check()
        return result
      }
    return {
      ...file,
      write: around(file.write),
      truncate: around(file.truncate),
      sync: around(file.sync),
    }
  }
}
