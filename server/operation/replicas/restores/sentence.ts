/** Failures of restores as people read them. */
import { StoreDamaged } from '../../../store/files/store-errors.ts'

/** Returns the sentence of an error: of the thrown one where it has one, else about the system's code. */
export function sentenceOf(error: unknown): string {
  // Its own message names commands for the terminal.
  if (error instanceof StoreDamaged) return `${error.file} ${error.reason}. Nothing was changed.`
  if (!(error instanceof Error)) return String(error)
  const { code, syscall } = error as NodeJS.ErrnoException
  if (syscall === undefined) return error.message
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'The disk is full. Free disk space, then try again.'
  return `The system returned an error (${code}). Check the disk and the permissions of the data folder, then try again.`
}
