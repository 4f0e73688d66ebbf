/** Files whose syncs wait at a gate. */
import type { Files, OpenFile } from '../../../server/store/files/files.ts'

export class Gate {
  readonly files: Files
  reached: Promise<void> = Promise.resolve()
  #waiting: (() => void)[] | undefined
  #arrive: () => void = () => {}

  constructor(files: Files) {
    this.files = {
      ...files,
      create: (path) => this.#gated(files.create(path)),
      edit: (path) => this.#gated(files.edit(path)),
    }
  }

  close(): void {
    this.#waiting = []
    this.reached = new Promise((resolve) => {
      this.#arrive = resolve
    })
  }

  open(): void {
    const waiting = this.#waiting ?? []
    this.#waiting = undefined
    for (const go of waiting) go()
  }

  async #gated(opening: Promise<OpenFile>): Promise<OpenFile> {
    const file = await opening
    return {
      ...file,
      sync: async () => {
        if (this.#waiting !== undefined) {
          const turn = new Promise<void>((resolve) => this.#waiting?.push(resolve))
          this.#arrive()
          await turn
        }
        await file.sync()
      },
    }
  }
}
