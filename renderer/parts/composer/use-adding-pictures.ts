/** Pictures that are added to a draft: chosen, pasted or dropped. */
import { type ClipboardEvent, type DragEvent, useState } from 'react'
import { maxPictures } from '../../api/posts.ts'
import { newTid } from '../../api/tid.ts'
import { t } from '../../strings/en.ts'
import { changeDraft, type Picture } from './drafts.ts'
import { pictureOf } from './resize.ts'

export interface AddingPictures {
  /** Whether files are being read. */
  readonly isReading: boolean
  /** Which files were left out. */
  readonly problem: string | undefined
  /** Removes the problem. */
  reset(): void
  add(files: readonly File[]): void
  onPaste(event: ClipboardEvent): void
  onDragOver(event: DragEvent): void
  onDrop(event: DragEvent): void
}

/** @param id the identifier of the draft @param count of its pictures */
export function useAddingPictures(id: string, count: number): AddingPictures {
  const [reading, setReading] = useState(0)
  const [problem, setProblem] = useState<string>()

  async function read(files: readonly File[]): Promise<void> {
    const room = Math.max(0, maxPictures - count - reading)
    const taken = files.slice(0, room)
    setProblem(files.length > room ? t.composer.tooManyPictures(maxPictures) : undefined)
    setReading((before) => before + taken.length)
    // One after the other: a decoded picture takes much memory.
    for (const file of taken) {
      const picture = await pictureOf(file)
      setReading((before) => before - 1)
      if (picture) attach(id, { ...picture, id: newTid(), alt: '' })
      else setProblem(t.composer.notAPicture(file.name))
    }
  }

  return {
    isReading: reading > 0,
    problem,
    reset: () => setProblem(undefined),
    add: (files) => void read(files),
    onPaste(event) {
      const { files, types } = event.clipboardData
      // Office programs add a picture of the text that was copied.
      if (files.length === 0 || types.includes('text/plain')) return
      event.preventDefault()
      void read([...files])
    },
    onDragOver(event) {
      if (event.dataTransfer.types.includes('Files')) event.preventDefault()
    },
    onDrop(event) {
      if (event.dataTransfer.files.length === 0) return
      event.preventDefault()
      void read([...event.dataTransfer.files])
    },
  }
}

function attach(id: string, picture: Picture): void {
  changeDraft(id, (draft) => ({ ...draft, pictures: [...draft.pictures, picture] }))
}
