/** Time of the disk alone for a journal frame, appended and synced. */
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'

/** About the size of a frame with one app password or one refreshed session. */
const frame = Buffer.alloc(768, 'x')

export class Disk implements AsyncDisposable {
  readonly #file: FileHandle
  #length = 0

  private constructor(file: FileHandle) {
    this.#file = file
  }

  static async open(dir: string): Promise<Disk> {
    return new Disk(await open(join(dir, 'baseline'), 'w'))
  }

  async append(): Promise<void> {
    const at = this.#length
    this.#length += frame.length
    await this.#file.write(frame, 0, frame.length, at)
    await this.#file.datasync()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close()
  }
}
