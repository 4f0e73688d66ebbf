/**
 * Ends all writes of a process that has lost the lock of its data directory. The lock is compared before each write, and after it: a
 * transaction is acknowledged only if no other process can have opened the directory before it was on disk.
 */

import type { Files, OpenFile } from './files.ts'
import type { Lock } from './lock.ts'
import { StoreLockLost } from './store-errors.ts'

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
    const opened = async (file: Promise<OpenFile>) => this.#guardFile(await file)
    const checked = async <R>(change: () => Promise<R>) => {
      await this.check()
      return change()
    }
    const changes: Pick<Files, 'create' | 'edit' | 'rename' | 'link' | 'remove' | 'removeDir'> = {
      create: (path, options) => checked(() => opened(files.create(path, options))),
      edit: (path, options) => checked(() => opened(files.edit(path, options))),
      rename: (from, to) => checked(() => files.rename(from, to)),
      link: (from, to) => checked(() => files.link(from, to)),
      remove: (path) => checked(() => files.remove(path)),
      removeDir: (path) => checked(() => files.removeDir(path)),
    }
    return Object.assign(Object.create(files) as Files, changes)
  }

  #guardFile(file: OpenFile): OpenFile {
    const around = async <R>(change: () => Promise<R>) => {
      await this.check()
      const result = await change()
      await this.check()
      return result
    }
    return {
      ...file,
      write: (bytes, position) => around(() => file.write(bytes, position)),
      truncate: (length) => around(() => file.truncate(length)),
      sync: () => around(() => file.sync()),
    }
  }
}
