/** Failures to save the settings, as people read them. */
import { ConfigError } from './config.ts'

/** Returns a sentence for settings that could not be saved. */
export function saveProblem(error: NodeJS.ErrnoException): string {
  if (error instanceof ConfigError) return error.message
  return `The settings could not be saved (${error.code}). Check the disk and the permissions of the data folder, then try again.`
}
