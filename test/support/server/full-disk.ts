/** The real file system with a switch for a full disk: writes to a journal then fail with ENOSPC. */
import { type Files, nodeFiles, type OpenFile } from '../../../server/store/files/files.ts'

export class FullDisk {
  isFull = false

  readonly files: Files = {
    ...nodeFiles,
    create: async (path, options) => {
      this.#check()
      return this.#onDisk(await nodeFiles.create(path, options))
    },
    edit: async (path, options) => this.#onDisk(await nodeFiles.edit(path, options)),
  }

  #onDisk(file: OpenFile): OpenFile {
    return {
      ...file,
      write: async (bytes, position) => {
        this.#check()
        return file.write(bytes, position)
      },
    }
  }

  #check(): void {
    if (this.isFull) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
  }
}
